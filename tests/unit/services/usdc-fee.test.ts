import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { readTokenAmount, readTokenOwner } from "@/lib/solana/token-accounts";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
} from "@/lib/solana/token-instructions";
import { putTokens } from "../../support/chain/sandbox-rig";
import { FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { type TestWallet, toTestWallet } from "../../support/fixtures/test-wallets";
import { readErrorCode, stranger, user } from "../../support/worlds/relay-rig";
import {
  buildGift,
  buildOpening,
  buildUsdcTransfer,
  savings,
  stageUsdc,
  toUnchecked,
} from "../../support/worlds/usdc-world";

/* The fee of deposits of USDC, on the sandbox's real Token program: what lands is compared with the accounts. */

const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const [USER, SAVINGS, COLLECTOR] = [user.address, savings.address, FEE_COLLECTORS[0]!] as const;
/** Its fee is 2,500 units. */
const DEPOSIT = 1_000_000n;

let world: Awaited<ReturnType<typeof stageUsdc>>;
beforeEach(async () => {
  world = await stageUsdc();
  await world.approve(user, SAVINGS);
});

const post = (instructions: InstructionLike[], ...signers: TestWallet[]) =>
  world.post(world.sign(instructions, ...signers)).then(({ status }) => status, readErrorCode);
const deposit = (amount = DEPOSIT) => buildUsdcTransfer({ from: USER, to: SAVINGS }, amount);
const pull = (keys: string[] = []) => buildUsdcTransfer({ from: USER, to: SAVINGS, by: SAVINGS }, DEPOSIT, keys);
const payFee = (amount: bigint, by = USER) => buildUsdcTransfer({ from: USER, to: COLLECTOR, by }, amount);
const open = () => buildCreateAssociatedTokenAccount({ payer: USER, owner: SAVINGS, mint: ASSETS.USDC.mint });

test.each<[string, string, () => InstructionLike[], TestWallet[]]>([
  ["with its fee", "confirmed", () => [open(), deposit(), payFee(2_500n)], [user]],
  ["with one unit too little", "fee_missing", () => [open(), deposit(), payFee(2_499n)], [user]],
  ["in the unchecked form, without a fee", "fee_missing", () => [open(), toUnchecked(deposit())], [user]],
  ["by a delegate that names the owner", "confirmed", () => [payFee(2_500n, SAVINGS), pull([USER])], [user, savings]],
  [
    "by a delegate that does not name the owner",
    "invalid_transaction",
    () => [payFee(2_500n, SAVINGS), pull()],
    [savings],
  ],
  ["by a delegate without a fee", "fee_missing", () => [pull([USER])], [savings]],
  [
    "by a delegate that pays the owner one lamport, which counts as an exchange",
    "confirmed",
    () => [pull(), buildSystemTransfer(SAVINGS, USER, 1n)],
    [savings],
  ],
])("a deposit of USDC %s is %s", async (_caseName, code, list, signers) => {
  putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
  expect(await post(list(), ...signers)).toBe(code);
});

test("a deposit into an account that the transaction opens needs its fee", async () => {
  expect(await post([open(), deposit()], user)).toBe("fee_missing");
  expect(await post([open(), deposit(), payFee(2_500n)], user)).toBe("confirmed");
});

test("no order of instructions moves USDC into a service wallet without its fee", async () => {
  putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
  const coverage = { confirmed: 0, fee_missing: 0 };
  let runCount = 0;
  const owners = fc.constantFrom(USER, SAVINGS);
  const pieces = fc.shuffledSubarray(["deposit", "into fresh", "gift", "gift back", "fee", "low fee", "SOL"] as const);
  const readUnits = (address: string, owner: string) => {
    const account = world.chain.getAccount(address);
    return account && readTokenOwner(account.data) === owner ? readTokenAmount(account.data) : 0n;
  };
  await fc.assert(
    fc.asyncProperty(pieces, owners, async (names, firstOwner) => {
      const fresh = toTestWallet(`fresh token account ${runCount++}`);
      const accounts = { source: deriveUsdcAccount(USER), destination: fresh.address, authority: USER };
      const build: Record<(typeof names)[number], () => InstructionLike> = {
        deposit,
        "into fresh": () => buildTransferChecked({ ...accounts, ...ASSETS.USDC, amount: DEPOSIT }),
        gift: () => buildGift(fresh.address, USER, SAVINGS),
        "gift back": () => buildGift(fresh.address, SAVINGS, USER),
        fee: () => payFee(2_500n),
        "low fee": () => payFee(2_499n),
        SOL: () => buildSystemTransfer(USER, stranger.address, 1n),
      };
      const readSum = () => readUnits(deriveUsdcAccount(SAVINGS), SAVINGS) + readUnits(fresh.address, SAVINGS);
      const readFees = () => readUnits(deriveUsdcAccount(COLLECTOR), COLLECTOR);
      const before = { sum: readSum(), fees: readFees() };
      const instructions = names.map((name) => build[name]());
      const signers = names.includes("gift back") ? [user, fresh, savings] : [user, fresh];
      const code = await post([...buildOpening(USER, fresh.address, firstOwner), ...instructions], ...signers);
      if (code in coverage) coverage[code as "confirmed"]++;
      const due = ((readSum() - before.sum) * 25n) / 10_000n;
      expect(readFees() - before.fees).toBeGreaterThanOrEqual(due);
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 20);
});

test("an account that is closed and opened again counts for its last owner and mint", async () => {
  putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
  const account = toTestWallet("an account of USDT");
  putTokens(world.chain, USER, ASSETS.USDT.mint, 0n, { address: account.address });
  const accounts = { source: account.address, destination: deriveUsdcAccount(SAVINGS), authority: USER };
  const fill = { source: deriveUsdcAccount(USER), destination: account.address, authority: USER };
  const reopen = [
    buildCloseAccount({ account: account.address, destination: USER, owner: USER }),
    ...buildOpening(USER, account.address, USER),
    buildTransferChecked({ ...fill, ...ASSETS.USDC, amount: DEPOSIT }),
    buildTransferChecked({ ...accounts, ...ASSETS.USDC, amount: DEPOSIT }),
  ];
  expect(await post(reopen, user, account)).toBe("fee_missing");
  expect(await post([...reopen, payFee(2_500n)], user, account)).toBe("confirmed");
});
