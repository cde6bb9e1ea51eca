import { describe, expect, test } from "vitest";
import { carriesFee } from "../../../lib/domain/fee-policy";
import type { SystemMovement } from "../../../lib/solana/system-instructions";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";

const [user, service, otherService] = ["user", "service", "other service"];
const [collector, otherCollector, stranger] = ["collector", "other collector", "stranger"];

const isService = (address: string) => address === service || address === otherService;
const isCollector = (address: string) => address === collector || address === otherCollector;
const hasFee = (movements: SystemMovement[]) => carriesFee(movements, isService, isCollector, EMPTY_RENT_LAMPORTS);
const createMovement = (from: string, to: string, lamports: bigint): SystemMovement => ({ from, to, lamports });

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

  test.each<[string, SystemMovement[]]>([
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
    ...tinyDeposits.map((tinyDeposit): [string, SystemMovement[]] => [
      `a fee of 0 for a deposit of ${tinyDeposit.lamports}`,
      [tinyDeposit, payFee(0n)],
    ]),
  ])("accepts %s", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(true);
  });

  test.each<[string, SystemMovement[]]>([
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
    ...tinyDeposits.map((tinyDeposit): [string, SystemMovement[]] => [
      `no transfer to a collector for a deposit of ${tinyDeposit.lamports}`,
      [tinyDeposit],
    ]),
  ])("refuses %s", (_caseName, movements) => {
    expect(hasFee(movements)).toBe(false);
  });
});
