import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { carriesFee } from "../../../lib/domain/fee-policy";
import type { Movement } from "../../../lib/domain/movements";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";

const [user, service, otherService] = ["user", "service", "other service"];
const [collector, otherCollector, stranger] = ["collector", "other collector", "stranger"];

const isService = (address: string) => address === service || address === otherService;
const isCollector = (address: string) => address === collector || address === otherCollector;
const hasFee = (movements: Movement[]) => carriesFee(movements, isService, isCollector, EMPTY_RENT_LAMPORTS);
const createMovement = (from: string, to: string, lamports: bigint): Movement => ({ from, to, lamports });

describe("carriesFee", () => {
  const [INVESTED_LAMPORTS, DUE_LAMPORTS] = [1_000_000n, 2_500n];
  const payFee = (lamports: bigint) => createMovement(user, collector, lamports);
  const createDeposit = (lamports: bigint, wallet = service) => createMovement(user, wallet, lamports);
  const deposit = createDeposit(EMPTY_RENT_LAMPORTS + INVESTED_LAMPORTS);
  const depositParts = Array.from({ length: 10 }, () => createDeposit((EMPTY_RENT_LAMPORTS + INVESTED_LAMPORTS) / 10n));
  const deposits = [deposit, createDeposit(EMPTY_RENT_LAMPORTS + INVESTED_LAMPORTS, otherService)];
  const tinyDeposits = [0n, 1n, EMPTY_RENT_LAMPORTS, EMPTY_RENT_LAMPORTS + 399n].map((lamports) =>
    createDeposit(lamports),
  );

  test.each<[string, Movement[]]>([
    ["no movement", []],
    ["a payment to a stranger", [createMovement(user, stranger, 10n ** 12n)]],
    ["a payment from a service wallet to a stranger", [createMovement(service, stranger, 10n ** 12n)]],
    ["a payment of a service wallet to itself", [createMovement(service, service, 10n ** 12n)]],
    ["exactly 0.25 % of the deposit above the rent minimum", [deposit, payFee(DUE_LAMPORTS)]],
    ["the fee before the deposit", [payFee(DUE_LAMPORTS), deposit]],
    ["the fee in parts", [deposit, payFee(DUE_LAMPORTS - 1n), createMovement(stranger, otherCollector, 1n)]],
    ["the fee of a split deposit", [...depositParts, payFee(DUE_LAMPORTS)]],
    ["the fees of two service wallets", [...deposits, payFee(2n * DUE_LAMPORTS)]],
    [
      "a second deposit of the rent minimum",
      [deposit, createDeposit(EMPTY_RENT_LAMPORTS, otherService), payFee(DUE_LAMPORTS)],
    ],
    ["a second deposit below the rent minimum", [deposit, createDeposit(1n, otherService), payFee(DUE_LAMPORTS)]],
    ...tinyDeposits.map((tinyDeposit): [string, Movement[]] => [
      `a fee of 0 for a deposit of ${tinyDeposit.lamports}`,
      [tinyDeposit, payFee(0n)],
    ]),
  ])("accepts %s", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(true);
  });

  test.each<[string, Movement[]]>([
    ["a deposit without a fee", [deposit]],
    ["a deposit and a payment to a stranger", [deposit, createMovement(user, stranger, 10n ** 12n)]],
    ["a fee that is one lamport too low", [deposit, payFee(DUE_LAMPORTS - 1n)]],
    ["a fee that is one lamport too low for a split deposit", [...depositParts, payFee(DUE_LAMPORTS - 1n)]],
    ["a fee that is one lamport too low for two service wallets", [...deposits, payFee(2n * DUE_LAMPORTS - 1n)]],
    [
      "a deposit from another service wallet without a fee",
      [createMovement(otherService, service, EMPTY_RENT_LAMPORTS + INVESTED_LAMPORTS)],
    ],
    [
      "a fee lowered by a deposit below the rent",
      [deposit, createDeposit(1n, otherService), payFee(DUE_LAMPORTS - 1n)],
    ],
    ["a fee of 0 where one lamport is due", [createDeposit(EMPTY_RENT_LAMPORTS + 400n), payFee(0n)]],
    ...tinyDeposits.map((tinyDeposit): [string, Movement[]] => [
      `no transfer to a collector for a deposit of ${tinyDeposit.lamports}`,
      [tinyDeposit],
    ]),
  ])("refuses %s", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(false);
  });

  const moveToken = (from: string, to: string, amount: bigint, authority = from, mint: string = ASSETS.USDC.mint) => ({
    ...createMovement(from, to, 0n),
    token: { mint, amount, authority },
  });
  const usdcDeposit = moveToken(user, service, 400_000n);
  const payUsdc = (amount: bigint) => moveToken(user, collector, amount);
  const pull = moveToken(user, service, 400_000n, service);

  test.each<[string, Movement[]]>([
    ["exactly 0.25 % of a deposit of USDC", [usdcDeposit, payUsdc(1_000n)]],
    ["the fee in USDC before the deposit", [payUsdc(1_000n), usdcDeposit]],
    ["the fee of an allowance", [moveToken(user, collector, 1_000n, service), pull]],
    ["a fee of 0 for 399 units", [moveToken(user, service, 399n), payUsdc(0n)]],
    ["the fees of deposits in both", [deposit, payFee(DUE_LAMPORTS), usdcDeposit, payUsdc(1_000n)]],
    ["a deposit of another token", [moveToken(user, service, 400_000n, user, ASSETS.USDT.mint)]],
    ["a payment out of a service wallet", [moveToken(service, stranger, 400_000n)]],
    ["a transfer of a service wallet to itself", [moveToken(service, service, 400_000n)]],
    ["what a delegate takes in exchange for SOL", [pull, createMovement(service, user, 1n)]],
  ])("accepts %s in tokens", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(true);
  });

  test.each<[string, Movement[]]>([
    ["a deposit of USDC without a fee", [usdcDeposit]],
    ["a fee that is one unit too low", [usdcDeposit, payUsdc(999n)]],
    ["a fee in SOL for a deposit of USDC", [usdcDeposit, payFee(10n ** 9n)]],
    ["a fee in USDC for a deposit of SOL", [deposit, payUsdc(10n ** 9n)]],
    ["a fee in another token", [usdcDeposit, moveToken(user, collector, 10n ** 9n, user, ASSETS.USDT.mint)]],
    ["a fee of one deposit for two", [usdcDeposit, payUsdc(1_999n), moveToken(user, otherService, 400_000n)]],
    ["399 units without a transfer to a collector", [moveToken(user, service, 399n)]],
    ["an allowance without a fee", [pull]],
    ["what a delegate takes while a third wallet pays the owner", [pull, createMovement(stranger, user, 10n ** 9n)]],
    ["what a delegate takes for nothing", [pull, createMovement(service, user, 0n)]],
    ["what the owner itself sends, although it is paid", [usdcDeposit, createMovement(service, user, 10n ** 9n)]],
  ])("refuses %s in tokens", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(false);
  });
});
