import { randomBytes } from "node:crypto";
import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMeasures } from "@/lib/clients/solana/measures";
import { ASSETS, OTHER_DOLLARS } from "@/lib/domain/assets";
import { encodeMint } from "@/lib/sandbox/chain/token-accounts";
import type { FeeModel } from "@/lib/sandbox/chain/types";
import { type Result, runFlow } from "@/lib/sdk/flow/run-flow";
import { createSellSpec, type SaleBuild } from "@/lib/sdk/flow/sell";
import { createWithdrawSpec, type WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { recover } from "@/lib/sdk/recover/recover";
import { fromBase64, toBase64 } from "@/lib/solana/bytes";
import { TOKEN_2022_PROGRAM } from "@/lib/solana/programs";
import { readTokenAccount } from "@/lib/solana/token-accounts";
import { deriveAssociatedTokenAddress } from "@/lib/solana/token-instructions";
import { createEmbeddedSandbox, type EmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import { putAccount, putTokens } from "../../support/chain/sandbox-rig";
import { putJunkToken } from "../../support/worlds/exit-stranger";
import { createExitWorld, type ExitWorld, runInSandboxTime } from "../../support/worlds/exit-world";

/*
 * Empties random wallets while the network changes how it charges. There is no stranger here: exits.test.ts has one.
 */

/** The number of random runs. `npm run fuzz` sets more. */
const RUNS = Math.max(25, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 10));
/** The maximum number of attempts by the owner. */
const MAX_ATTEMPTS = 8;
/** Longer than the service keeps what it has read of the rent and of the prices, ms. */
const PAUSE_MS = 125_000;

const MODELS: FeeModel[] = ["flat", "resource-10", "resource-4", "resource-2"];
const OWN_ASSETS = ["BTC", "ETH", "USDC"] as const;
const DOLLARS = ["PYUSD", "CASH", "USDG"] as const;
const JUNK_KINDS = ["plain", "2022", "withheld fees", "hook", "frozen", "non-transferable", "paused"];
/** Lamports per byte of the rent: today's, and the steps that are announced. */
const RENTS = [5_080n, 2_575n, 696n];
/** Base units of each token. */
const HELD_BASE_UNITS = 5_000_000n;

const anyScenario = fc.record({
  exit: fc.constantFrom("withdraw", "withdraw", "sell", "recover", "recover", "recover partial"),
  model: fc.constantFrom(...MODELS),
  rent: fc.constantFrom(...RENTS),
  /** The change that happens before one of the calls or signatures. */
  change: fc.constantFrom("none", "none", "model", "rent"),
  changedModel: fc.constantFrom(...MODELS),
  changedRent: fc.constantFrom(...RENTS),
  callsBeforeChange: fc.integer({ min: 0, max: 30 }),
  ownAssets: fc.subarray([...OWN_ASSETS]),
  dollars: fc.subarray([...DOLLARS]),
  junkKinds: fc.array(fc.constantFrom(...JUNK_KINDS), { maxLength: 12 }),
  /** Lamports of the wallet above the rent minimum; null for a wallet without SOL. */
  spareLamports: fc.oneof(
    fc.constantFrom(null, 0n, 1n, 2_500n, 5_000n, 1_600_000n),
    fc.bigInt({ min: 0n, max: 30_000n }),
    fc.bigInt({ min: 0n, max: 10n ** 8n }),
  ),
  /** True if the owner adds the lamports for which a refusal asks. */
  addsMissing: fc.boolean(),
  isDestinationOpen: fc.boolean(),
  unitPrice: fc.constantFrom(0n, 0n, 10_000n, 5_000_000n),
});
type Scenario = typeof anyScenario extends fc.Arbitrary<infer T> ? T : never;

test("every wallet ends at exactly 0, or its owner reads what stays and why, for the fee that was shown", {
  timeout: Math.max(120_000, RUNS * 2_000),
}, async () => {
  const sandbox = createEmbeddedSandbox();
  sandbox.deps.measures = createMeasures({ clock: sandbox.deps.clock });
  await fc.assert(
    fc.asyncProperty(anyScenario, (scenario) => runScenario(sandbox, scenario)),
    { numRuns: RUNS },
  );
});

/** What an attempt told its owner. */
interface Statement {
  /** Why nothing was sent, or why the attempt stopped; null if it did everything that it announced. */
  reason: string | null;
  /** Lamports that stay. Null if the attempt does not tell. */
  remainingLamports: bigint | null;
  /** Mints of the tokens that stay. */
  leftMints: string[];
  /** True if the statement names accounts that were not read. Tokens may then stay without their mints. */
  leavesUnread?: boolean;
  /** The fees that were shown for all transactions of the attempt together. Null if the attempt shows one fee for each. */
  feeLamports?: bigint;
}

async function runScenario(sandbox: EmbeddedSandbox, scenario: Scenario): Promise<void> {
  const { chain, deps } = sandbox;
  chain.setFeeModel(scenario.model);
  chain.setRent(scenario.rent);
  // A new instance has read nothing yet under the earlier rent.
  await deps.clock.advance(PAUSE_MS);
  const { unitPrice } = scenario;
  deps.priorityFees = { readUnitPrice: async () => unitPrice };
  let callCount = 0;
  /** The number of changes so far. */
  let era = 0;
  const passTime = () => {
    if (callCount++ !== scenario.callsBeforeChange || scenario.change === "none") return;
    if (scenario.change === "model") chain.setFeeModel(scenario.changedModel);
    else chain.setRent(scenario.changedRent);
    era++;
  };
  const shownFees = new Map<string, { lamports: bigint; era: number }>();
  const world = createExitWorld(sandbox, randomBytes(32), passTime, (path, data) => {
    for (const [bytes, lamports] of listShownFees(path, data)) shownFees.set(bytes, { lamports, era });
  });
  const landed: { signature: string; era: number }[] = [];
  const unsubscribe = chain.onSignature(({ signature }) => void landed.push({ signature, era }));
  fillWallets(sandbox, world, scenario);
  const before = countHoldings(sandbox, world);

  let statement: Statement | null = null;
  let addedLamports = 0n;
  for (let attemptCount = 0; attemptCount < MAX_ATTEMPTS; attemptCount++) {
    const [eraBefore, landedBefore, feesBefore] = [era, landed.length, world.sumFees()];
    statement = await runInSandboxTime(sandbox, runAttempt(world, scenario, attemptCount === 0));
    if (statement.feeLamports !== undefined && eraBefore === era)
      expect(statement.feeLamports, "the fees that recover shows").toBe(world.sumFees() - feesBefore);
    if (countWallet(sandbox, world).lamports === 0n && statement.reason === null) break;
    const missingLamports = readMissingLamports(statement.reason);
    if (missingLamports > 0n && scenario.addsMissing && attemptCount < MAX_ATTEMPTS - 1) {
      // The lamports that a refusal asks for are enough.
      const mayAskAgain = addedLamports === 0n || era > 0 || scenario.exit === "recover partial";
      expect(mayAskAgain, "may ask for lamports").toBe(true);
      addedLamports += addLamports(sandbox, world.wallet, missingLamports);
    } else if (eraBefore === era && landed.length === landedBefore) break;
    await deps.clock.advance(PAUSE_MS);
  }
  world.close();
  unsubscribe();
  expect(world.bugs).toEqual([]);

  const after = countWallet(sandbox, world);
  if (after.lamports > 0n) {
    expect(statement!.remainingLamports, `what stays: ${statement!.reason}`).toBe(after.lamports);
    expect(statement!.reason, `why ${after.lamports} lamports stay`).toMatch(/./);
  }
  const { leftMints, leavesUnread, reason } = statement!;
  const unnamedMints = leavesUnread || reason !== null ? [] : after.mints.filter((mint) => !leftMints.includes(mint));
  expect(unnamedMints, "tokens that stay without a word").toEqual([]);
  // SOL alone never stays where a node's fee would still leave something to send.
  if (after.mints.length === 0 && after.lamports > 0n) expect(statement!.reason).toMatch(/fee|exist|lack/);

  const paid = landed.map((entry) => ({ ...entry, record: chain.findTransaction(entry.signature)! }));
  for (const { record, era: landedEra } of paid) {
    if (record.accountKeys[0] !== world.wallet) continue;
    const shown = shownFees.get(toMessage(record.raw));
    if (scenario.exit.startsWith("recover")) continue;
    expect(shown, "a transaction of a build").toBeDefined();
    if (shown!.era === landedEra) expect(BigInt(record.fee), "the fee that was shown").toBe(shown!.lamports);
  }
  if (scenario.exit === "sell") return;
  const feeLamports = world.sumFees();
  const end = countHoldings(sandbox, world);
  expect(end.lamports, "lamports of both owners").toBe(before.lamports + addedLamports - feeLamports);
  expect(end.amounts, "tokens of both owners").toEqual(before.amounts);
}

/** Returns the lamports for which a reason asks; 0 if it asks for none. */
const readMissingLamports = (reason: string | null) =>
  BigInt(/(?:lacks|Add) (\d+) lamports/.exec(reason ?? "")?.[1] ?? 0);

/** Adds lamports to a wallet, at least up to the rent minimum. @returns the lamports that it added */
function addLamports({ chain, setLamports }: EmbeddedSandbox, wallet: string, lamports: bigint): bigint {
  const balance = chain.getAccount(wallet)?.lamports ?? 0n;
  const minimum = chain.computeRentExemptMinimum(0);
  const newBalance = balance + lamports < minimum ? minimum : balance + lamports;
  setLamports(wallet, newBalance);
  return newBalance - balance;
}

/** Lists the messages of a build, in base64, and what the network charges for each. */
function listShownFees(path: string, data: unknown): [string, bigint][] {
  if (path === "/api/withdraw/build")
    return (data as WithdrawBuild).transactions.map(({ transaction, networkFeeLamports }) => [
      toMessage(transaction),
      BigInt(networkFeeLamports),
    ]);
  if (path !== "/api/swap/sell") return [];
  const { transactions, costs } = data as Pick<SaleBuild, "transactions" | "costs">;
  return transactions.map(({ transaction }) => [toMessage(transaction), BigInt(costs.networkFeeLamports)]);
}

/** Returns the message of a transaction of one signature. */
const toMessage = (base64: string) => toBase64(fromBase64(base64)!.subarray(65));

function fillWallets(sandbox: EmbeddedSandbox, { wallet, destination }: ExitWorld, scenario: Scenario): void {
  const { chain } = sandbox;
  const rentMinimum = chain.computeRentExemptMinimum(0);
  if (scenario.isDestinationOpen) sandbox.setLamports(destination, rentMinimum);
  if (scenario.spareLamports !== null) sandbox.setLamports(wallet, rentMinimum + scenario.spareLamports);
  for (const asset of scenario.ownAssets) putTokens(chain, wallet, ASSETS[asset].mint, HELD_BASE_UNITS);
  const program = TOKEN_2022_PROGRAM;
  for (const symbol of scenario.dollars) {
    const { mint, decimals } = OTHER_DOLLARS[symbol];
    if (!chain.getAccount(mint)) putAccount(chain, mint, program, encodeMint(null, decimals));
    const address = deriveAssociatedTokenAddress(wallet, mint, program);
    putTokens(chain, wallet, mint, HELD_BASE_UNITS, { address, program, extensions: [[7, new Uint8Array()]] });
  }
  for (const [i, kind] of scenario.junkKinds.entries())
    putJunkToken(chain, wallet, kind, i % 3 === 2 ? destination : "");
}

/** Counts the lamports of both owners and of their token accounts, and the tokens by mint. */
function countHoldings({ chain }: EmbeddedSandbox, { wallet, destination }: ExitWorld) {
  const owners = [wallet, destination];
  const tokenAccounts = owners.flatMap((owner) => chain.listTokenAccounts(owner));
  const readLamports = (address: string) => chain.getAccount(address)?.lamports ?? 0n;
  const amounts: Record<string, bigint> = {};
  for (const address of tokenAccounts) {
    const { data } = chain.getAccount(address)!;
    const mint = bs58.encode(data.subarray(0, 32));
    amounts[mint] = (amounts[mint] ?? 0n) + readTokenAccount(data)!.amount;
  }
  return {
    lamports: [...owners, ...tokenAccounts].reduce((sum, address) => sum + readLamports(address), 0n),
    amounts: Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0n)),
  };
}

/** Returns the SOL of the wallet, and the mints of the tokens in it. */
function countWallet({ chain }: EmbeddedSandbox, { wallet }: ExitWorld) {
  const mints = chain.listTokenAccounts(wallet).flatMap((address) => {
    const { data } = chain.getAccount(address)!;
    return readTokenAccount(data)!.amount > 0n ? [bs58.encode(data.subarray(0, 32))] : [];
  });
  return { lamports: chain.getAccount(wallet)?.lamports ?? 0n, mints };
}

async function runAttempt(world: ExitWorld, scenario: Scenario, isFirst: boolean): Promise<Statement> {
  const { wallet, destination, flowContext, recovery } = world;
  if (scenario.exit.startsWith("recover")) {
    const result = await recover({ ...recovery, partial: scenario.exit === "recover partial" });
    const { reason, remainingLamports, leftBehind, leftOut, keepsRentMinimum } = result;
    const solReason = leftBehind.find(({ symbol }) => symbol === "SOL")?.reason ?? null;
    const keepReason = keepsRentMinimum ? "The wallet keeps its fee and the rent minimum." : solReason;
    const leftMints = leftBehind.map(({ mint }) => mint);
    const feeLamports = reason === null ? result.networkFeeLamports : 0n;
    const leavesUnread = leftOut.length > 0;
    return { reason: reason ?? keepReason, remainingLamports, leftMints, leavesUnread, feeLamports };
  }
  const [asset] = scenario.ownAssets;
  if (scenario.exit === "sell" && isFirst && asset) {
    const into = asset === "USDC" ? ("SOL" as const) : ("USDC" as const);
    const saleRequest = { asset, into, amountBaseUnits: null, slippageBps: 100 };
    await runFlow(createSellSpec(wallet, "sandbox"), flowContext, saleRequest, () => true);
  }
  let build: WithdrawBuild | null = null;
  const request = { destination, asset: null, amountBaseUnits: null };
  const result = await runFlow(createWithdrawSpec(wallet, "sandbox"), flowContext, request, (shown) => {
    build = shown;
    return true;
  });
  return toStatement(result, result.status === "refused" ? result.build : build);
}

function toStatement(result: Result<unknown, WithdrawBuild>, build: WithdrawBuild | null): Statement {
  const leftMints = build?.leftBehind.map(({ mint }) => mint) ?? [];
  const remainingLamports = build === null ? null : BigInt(build.remainingLamports);
  const keepReason = build?.keepsRentMinimum ? "The wallet keeps its fee and the rent minimum." : null;
  if (result.status === "done") return { reason: keepReason, remainingLamports, leftMints };
  const reason = "reason" in result ? result.reason : String("error" in result ? result.error : result.status);
  return { reason, remainingLamports, leftMints };
}
