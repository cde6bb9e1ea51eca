import { randomBytes } from "node:crypto";
import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ASSETS, findAssetByMint } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { type Result, runFlow } from "@/lib/sdk/flow/run-flow";
import { createSellSpec } from "@/lib/sdk/flow/sell";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { recover } from "@/lib/sdk/recover/recover";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";
import { deriveAssociatedTokenAddress } from "@/lib/solana/token-instructions";
import { createEmbeddedSandbox, type EmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import { putTokens } from "../../support/chain/sandbox-rig";
import { createSeededRandom } from "../../support/fakes/seeded-random";
import { addDelegate } from "../../support/fixtures/token-account";
import { createStranger, putJunkToken } from "../../support/worlds/exit-stranger";
import { createExitWorld, type ExitWorld, runInSandboxTime, sendMemoTo } from "../../support/worlds/exit-world";

/** The number of random runs. `npm run fuzz` sets more. */
const RUNS = Math.max(15, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 20));
/** The maximum number of actions by the stranger. It covers every step of three attempts. */
const MAX_ACTIONS = 60;
/** The maximum number of attempts by the owner, including those after the owner added SOL. */
const MAX_ATTEMPTS = 8;

const EXITS = ["withdraw", "one asset", "sell", "cash out", "recover", "recover one", "recover partial"] as const;
const OWN_ASSETS = ["BTC", "ETH", "USDC"] as const;

const anyScenario = fc.record({
  exit: fc.constantFrom(...EXITS),
  seed: fc.integer({ min: 0, max: 0x7fffffff }),
  ownAssets: fc.subarray([...OWN_ASSETS], { minLength: 1 }),
  /** Lamports of the wallet above the rent minimum. */
  spareLamports: fc.constantFrom(0n, 5_000n, 1_600_000n, 3_000_000n, 50_000_000n),
  /** Whose USDC account has a delegate: the wallet's own, or its owner's, who lets the wallet take USDC. */
  delegateOf: fc.constantFrom("nobody", "wallet", "owner"),
  junkCount: fc.constantFrom(0, 0, 3, 20),
  /** Probability that the stranger acts between two steps, in percent. */
  actPercent: fc.constantFrom(0, 10, 40, 100),
  /** True if the stranger only sends SOL and tokens, without a limit on their number. */
  sendsOnlyDust: fc.boolean(),
});
type Scenario = typeof anyScenario extends fc.Arbitrary<infer T> ? T : never;

test("every owner can withdraw everything while a stranger acts between the owner's steps", {
  timeout: Math.max(120_000, RUNS * 1_500),
}, async () => {
  const sandbox = createEmbeddedSandbox();
  await fc.assert(
    fc.asyncProperty(anyScenario, (scenario) => runScenario(sandbox, scenario)),
    { numRuns: RUNS },
  );
});

async function runScenario(sandbox: EmbeddedSandbox, scenario: Scenario): Promise<void> {
  const { chain } = sandbox;
  const drawFraction = createSeededRandom(scenario.seed);
  // Each run needs its own wallet, because all runs share one chain.
  const seed = randomBytes(32);
  let actMeanwhile = () => {};
  const world = createExitWorld(sandbox, seed, () => actMeanwhile());
  const { wallet, destination } = world;
  const readBalance = (address: string) => chain.getAccount(address)?.lamports ?? 0n;
  const rentMinimum = chain.computeRentExemptMinimum(0);
  const startLamports = rentMinimum + scenario.spareLamports;
  sandbox.setLamports(destination, rentMinimum);
  sandbox.setLamports(wallet, startLamports);
  for (const asset of scenario.ownAssets) putTokens(chain, wallet, ASSETS[asset].mint, HELD_BASE_UNITS);
  const usdcAccount = deriveUsdcAccount(scenario.delegateOf === "owner" ? destination : wallet);
  if (scenario.delegateOf === "owner") putTokens(chain, destination, ASSETS.USDC.mint, 0n);
  const account = chain.getAccount(usdcAccount);
  if (account && scenario.delegateOf !== "nobody") {
    const data = Uint8Array.from(account.data);
    addDelegate(data, scenario.delegateOf === "owner" ? wallet : destination, 1_000_000n);
    chain.setAccount(usdcAccount, { ...account, data });
  }
  const junkKinds = ["plain", "2022", "transfer fee", "withheld fees", "hook", "frozen", "non-transferable", "paused"];
  const stranger = createStranger(chain, world, drawFraction, () => sendMemoTo(sandbox, wallet));
  for (let i = 0; i < scenario.junkCount; i++)
    stranger.junkAccounts.push(putJunkToken(chain, wallet, junkKinds[i % junkKinds.length]!, i % 3 ? destination : ""));
  let remainingActions = MAX_ACTIONS;
  actMeanwhile = () => {
    if (drawFraction() * 100 >= scenario.actPercent) return;
    if (scenario.sendsOnlyDust) stranger.sendDust();
    else if (remainingActions-- > 0) stranger.actRandomly();
  };
  let addedLamports = 0n;
  let isDone = false;
  for (let attemptCount = 0; attemptCount < MAX_ATTEMPTS && !isDone; attemptCount++) {
    const attempt = await runInSandboxTime(sandbox, runAttempt(world, scenario));
    isDone = attempt.isDone;
    if (attempt.missingLamports > 0n) {
      addedLamports += attempt.missingLamports;
      sandbox.setLamports(wallet, readBalance(wallet) + attempt.missingLamports);
    }
  }
  world.close();
  actMeanwhile = () => {};
  expect(world.bugs).toEqual([]);
  expect(isDone, `done within ${MAX_ATTEMPTS} attempts`).toBe(true);

  const readMint = (address: string) => bs58.encode(chain.getAccount(address)!.data.subarray(0, 32));
  const readReceivedAmount = (mint: string) => {
    const account = chain.getAccount(deriveAssociatedTokenAddress(destination, mint));
    return account && account.data.length >= TOKEN_ACCOUNT_BYTES ? readTokenAccount(account.data)!.amount : 0n;
  };
  for (const asset of listUnswappedAssets(scenario))
    expect(readReceivedAmount(ASSETS[asset].mint), asset).toBeGreaterThanOrEqual(HELD_BASE_UNITS);
  const isOneAsset = scenario.exit === "one asset" || scenario.exit === "recover one";
  if (!isOneAsset)
    expect(readBalance(wallet), "SOL that stays").toBeLessThanOrEqual(
      rentMinimum + FEE_LAMPORTS + stranger.receivedLamports + stranger.paidDepositLamports,
    );
  const deposits =
    chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES) * BigInt(OWN_ASSETS.length + 1) +
    stranger.closedDepositLamports;
  const endLamports = readBalance(wallet) + readBalance(destination) - rentMinimum;
  expect(endLamports, "SOL without fees and the deposits of the assets").toBeGreaterThanOrEqual(
    startLamports + addedLamports + stranger.receivedLamports - world.sumFees() - deposits,
  );
  const junkDeposits = chain
    .listTokenAccounts(destination)
    .filter((address) => findAssetByMint(readMint(address)) === null)
    .reduce((sum, address) => sum + readBalance(address), 0n);
  const closedCount = BigInt(stranger.junkAccounts.filter((address) => !chain.getAccount(address)).length);
  expect(junkDeposits, "deposits of junk tokens come from closed junk accounts").toBeLessThanOrEqual(
    closedCount * MAX_RENT_LAMPORTS,
  );
  expect(world.countTransactions()).toBeLessThanOrEqual(60);
}

/** Lamports, more than the rent of any token account in these tests. */
const MAX_RENT_LAMPORTS = 2_200_000n;
/** Lamports that stay in addition to the rent minimum, so that the rest can be withdrawn later. */
const FEE_LAMPORTS = 5_000n;
/** Base units of each asset in the wallet. */
const HELD_BASE_UNITS = 5_000_000n;

/** Returns the assets that arrive unchanged, without a swap. */
function listUnswappedAssets({ exit, ownAssets }: Scenario): (typeof OWN_ASSETS)[number][] {
  if (exit === "cash out") return [];
  if (exit === "one asset" || exit === "recover one") return [ownAssets[0]!];
  return exit === "sell" ? ownAssets.slice(1) : ownAssets;
}

interface Attempt {
  isDone: boolean;
  /** The lamports for which the reason of a refusal asks. 0 if it asks for none. */
  missingLamports: bigint;
}

async function runAttempt(world: ExitWorld, { exit, ownAssets }: Scenario): Promise<Attempt> {
  const { wallet, destination, flowContext } = world;
  if (exit.startsWith("recover")) return runRecovery(world, exit, ownAssets[0]!);
  if (exit === "sell") {
    const saleRequest = { asset: ownAssets[0]!, into: "SOL" as const, amountBaseUnits: null, slippageBps: 100 };
    const saleAttempt = await confirmEveryBuild((confirm) =>
      runFlow(createSellSpec(wallet, "sandbox"), flowContext, saleRequest, confirm),
    );
    if (!saleAttempt.isDone) return saleAttempt;
  }
  if (exit === "cash out") {
    const request = { destination, into: "SOL" as const, assets: ownAssets, slippageBps: 100 };
    return confirmEveryBuild((confirm) => runFlow(createCashOutSpec(wallet, "sandbox"), flowContext, request, confirm));
  }
  const request = { destination, asset: exit === "one asset" ? ownAssets[0]! : null, amountBaseUnits: null };
  return confirmEveryBuild((confirm) => runFlow(createWithdrawSpec(wallet, "sandbox"), flowContext, request, confirm));
}

/** The figures of a build that name missing lamports. */
interface Shortfall {
  missingToKeep?: number;
  missingLamports?: number;
  neededLamports?: number;
  sales?: { neededLamports: number }[];
  withdrawal?: Shortfall | null;
}

/** Runs a flow and confirms every build. */
async function confirmEveryBuild<Build extends Shortfall>(
  run: (confirm: (build: Build) => boolean) => Promise<Result<unknown, Build>>,
): Promise<Attempt> {
  let lastBuild: Shortfall = {};
  const result = await run((build) => {
    lastBuild = build;
    return true;
  });
  if (result.status === "done") return { isDone: true, missingLamports: 0n };
  if (result.status !== "refused")
    return { isDone: false, missingLamports: BigInt((lastBuild.withdrawal ?? lastBuild).missingToKeep ?? 0) };
  const { missingLamports, neededLamports, sales = [], withdrawal } = result.build as Shortfall;
  const neededForSales = sales.map((sale) => sale.neededLamports);
  const shortfalls = [missingLamports, neededLamports, withdrawal?.missingLamports, ...neededForSales];
  const missing = Math.max(...shortfalls.map((lamports) => lamports ?? 0));
  // Nothing is left to send or sell, because an earlier attempt did it.
  return { isDone: missing === 0 && /nothing|holds no/.test(result.reason), missingLamports: BigInt(missing) };
}

async function runRecovery({ recovery }: ExitWorld, exit: string, asset: Scenario["ownAssets"][0]): Promise<Attempt> {
  const options = { ...recovery, ...(exit === "recover one" && { asset }), partial: exit === "recover partial" };
  try {
    const { reason, leftBehind } = await recover(options);
    const missing = [reason, ...leftBehind.map((token) => token.reason)]
      .map(readLamports)
      .find((lamports) => lamports > 0n);
    return { isDone: !missing && (reason === null || /nothing/.test(reason)), missingLamports: missing ?? 0n };
  } catch (error) {
    return { isDone: false, missingLamports: readLamports((error as Error).message) };
  }
}

const readLamports = (text: string | null) => BigInt(/(\d+) lamports/.exec(text ?? "")?.[1] ?? 0);
