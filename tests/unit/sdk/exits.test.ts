import { randomBytes } from "node:crypto";
import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ASSETS, findAssetByMint } from "@/lib/domain/assets";
import { createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { drive, type Result } from "@/lib/sdk/flow/drive";
import { createSellSpec } from "@/lib/sdk/flow/sell";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { recover } from "@/lib/sdk/recover/recover";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";
import { deriveAssociatedTokenAddress } from "@/lib/solana/token-instructions";
import { createEmbeddedSandbox, type EmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import { seedRandom } from "../../support/fakes/seeded-random";
import { createStranger, putJunkToken, putTokens } from "../../support/worlds/exit-stranger";
import { createExitWorld, type ExitWorld, runInSandboxTime, sendMemoTo } from "../../support/worlds/exit-world";

/** Number of random runs; `npm run fuzz` sets a higher one. */
const RUNS = Math.max(15, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 20));
/** Maximum number of acts by the stranger; enough for every step of three attempts. */
const MAX_ACTS = 60;
/** Maximum number of attempts by the owner, including the top-ups that a refusal asks for. */
const ROUNDS = 8;

const WAYS = ["withdraw", "one asset", "sell", "cash out", "recover", "recover one", "recover partial"] as const;
const OWN = ["BTC", "ETH", "USDC"] as const;

const scenarios = fc.record({
  way: fc.constantFrom(...WAYS),
  seed: fc.integer({ min: 0, max: 0x7fffffff }),
  own: fc.subarray([...OWN], { minLength: 1 }),
  /** Lamports of the wallet above the rent minimum. */
  spareLamports: fc.constantFrom(0n, 5_000n, 1_600_000n, 3_000_000n, 50_000_000n),
  junk: fc.constantFrom(0, 0, 3, 20),
  /** Probability that the stranger acts between two steps, in percent. */
  actsPercent: fc.constantFrom(0, 10, 40, 100),
  /** If true, the stranger only sends SOL and tokens, without end. */
  onlyDust: fc.boolean(),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

test("lets every owner withdraw everything, with no lost deposit, while a stranger acts between steps", {
  timeout: Math.max(120_000, RUNS * 1_500),
}, async () => {
  const sandbox = createEmbeddedSandbox();
  await fc.assert(
    fc.asyncProperty(scenarios, (scenario) => leave(sandbox, scenario)),
    { numRuns: RUNS },
  );
});

async function leave(sandbox: EmbeddedSandbox, scenario: Scenario): Promise<void> {
  const { chain } = sandbox;
  const chance = seedRandom(scenario.seed);
  // Each run needs its own wallet, because all runs share one chain.
  const seed = randomBytes(32);
  let meanwhile = () => {};
  const world = createExitWorld(sandbox, seed, () => meanwhile());
  const { wallet, destination } = world;
  const lamportsOf = (address: string) => chain.getAccount(address)?.lamports ?? 0n;
  const rentMin = chain.computeRentExemptMinimum(0);
  const start = rentMin + scenario.spareLamports;
  sandbox.setLamports(destination, rentMin);
  sandbox.setLamports(wallet, start);
  for (const asset of scenario.own) putTokens(chain, wallet, ASSETS[asset].mint, HELD);
  const kinds = ["plain", "2022", "transfer fee", "withheld fees", "hook", "frozen", "non-transferable", "paused"];
  const stranger = createStranger(chain, world, chance, () => sendMemoTo(sandbox, wallet));
  for (let i = 0; i < scenario.junk; i++)
    stranger.junk.push(putJunkToken(chain, wallet, kinds[i % kinds.length]!, i % 3 ? destination : ""));
  const depositsOf = (accounts: string[]) => accounts.reduce((sum, address) => sum + lamportsOf(address), 0n);
  let acts = MAX_ACTS;
  meanwhile = () => {
    if (chance() * 100 >= scenario.actsPercent) return;
    if (scenario.onlyDust) stranger.dust();
    else if (acts-- > 0) stranger.act();
  };
  let toppedUp = 0n;
  let left = false;
  for (let round = 0; round < ROUNDS && !left; round++) {
    const { done, missing } = await runInSandboxTime(sandbox, attempt(world, scenario));
    left = done;
    if (missing > 0n) {
      toppedUp += missing;
      sandbox.setLamports(wallet, lamportsOf(wallet) + missing);
    }
  }
  world.close();
  meanwhile = () => {};
  expect(world.faults).toEqual([]);
  expect(left, "within so many rounds").toBe(true);

  const mintAt = (address: string) => bs58.encode(chain.getAccount(address)!.data.subarray(0, 32));
  const received = (mint: string) => {
    const account = chain.getAccount(deriveAssociatedTokenAddress(destination, mint));
    return account && account.data.length >= TOKEN_ACCOUNT_BYTES ? readTokenAccount(account.data)!.amount : 0n;
  };
  for (const asset of leavesAs(scenario)) expect(received(ASSETS[asset].mint), asset).toBeGreaterThanOrEqual(HELD);
  const isOne = scenario.way === "one asset" || scenario.way === "recover one";
  if (!isOne)
    expect(lamportsOf(wallet), "what stays").toBeLessThanOrEqual(
      rentMin + FEE + stranger.receivedLamports + stranger.paidDeposits,
    );
  const deposits =
    chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES) * BigInt(OWN.length + 1) + stranger.closedDeposits;
  const end = lamportsOf(wallet) + lamportsOf(destination) - rentMin;
  expect(end, "SOL but for fees and the assets' own deposits").toBeGreaterThanOrEqual(
    start + toppedUp + stranger.receivedLamports - world.fees() - deposits,
  );
  const unsupported = chain
    .listTokenAccounts(destination)
    .filter((address) => findAssetByMint(mintAt(address)) === null);
  const closed = BigInt(stranger.junk.filter((address) => !chain.getAccount(address)).length);
  expect(depositsOf(unsupported), "deposits of junk, all from closed junk").toBeLessThanOrEqual(closed * DEAREST);
  expect(world.sent()).toBeLessThanOrEqual(60);
}

/** More than the rent of any token account in these tests, lamports. */
const DEAREST = 2_200_000n;
/** Kept in addition to the rent minimum, so that the rest can be withdrawn later. */
const FEE = 5_000n;
/** Balance of each asset, base units. */
const HELD = 5_000_000n;

/** Returns the assets that arrive unchanged, without a swap. */
function leavesAs({ way, own }: Scenario): (typeof OWN)[number][] {
  if (way === "cash out") return [];
  if (way === "one asset" || way === "recover one") return [own[0]!];
  return way === "sell" ? own.slice(1) : own;
}

interface Attempt {
  done: boolean;
  /** Lamports that the refusal's reason asks for. */
  missing: bigint;
}

async function attempt(world: ExitWorld, { way, own }: Scenario): Promise<Attempt> {
  const { wallet, destination, flows } = world;
  if (way.startsWith("recover")) return recovered(world, way, own[0]!);
  if (way === "sell") {
    const sale = { asset: own[0]!, into: "SOL" as const, amount: null, slippageBps: 100 };
    const sold = await flown((confirm) => drive(createSellSpec(wallet, "sandbox"), flows, sale, confirm));
    if (!sold.done) return sold;
  }
  if (way === "cash out") {
    const request = { destination, into: "SOL" as const, assets: own, slippageBps: 100 };
    return flown((confirm) => drive(createCashOutSpec(wallet, "sandbox"), flows, request, confirm));
  }
  const request = { destination, asset: way === "one asset" ? own[0]! : null, amount: null };
  return flown((confirm) => drive(createWithdrawSpec(wallet, "sandbox"), flows, request, confirm));
}

interface Shown {
  missingToKeep?: number;
  missingLamports?: number;
  neededLamports?: number;
  sales?: { neededLamports: number }[];
  withdrawal?: Shown | null;
}

/** Runs a flow and confirms every build. */
async function flown<B extends Shown>(
  run: (confirm: (build: B) => boolean) => Promise<Result<unknown, B>>,
): Promise<Attempt> {
  let shown: Shown = {};
  const result = await run((build) => {
    shown = build;
    return true;
  });
  if (result.status === "done") return { done: true, missing: 0n };
  if (result.status !== "refused")
    return { done: false, missing: BigInt((shown.withdrawal ?? shown).missingToKeep ?? 0) };
  const { missingLamports, neededLamports, sales = [], withdrawal } = result.build as Shown;
  const named = [
    missingLamports,
    neededLamports,
    withdrawal?.missingLamports,
    ...sales.map((one) => one.neededLamports),
  ];
  const missing = Math.max(...named.map((lamports) => lamports ?? 0));
  // Nothing is left to send or sell, because an earlier round did it.
  return { done: missing === 0 && /nothing|holds no/.test(result.reason), missing: BigInt(missing) };
}

async function recovered({ recovery }: ExitWorld, way: string, asset: (typeof OWN)[number]): Promise<Attempt> {
  const options = { ...recovery, ...(way === "recover one" && { asset }), partial: way === "recover partial" };
  try {
    const { reason, leftBehind } = await recover(options);
    const lacks = [reason, ...leftBehind.map((token) => token.reason)]
      .map(lamportsIn)
      .find((lamports) => lamports > 0n);
    return { done: !lacks && (reason === null || /nothing/.test(reason)), missing: lacks ?? 0n };
  } catch (error) {
    return { done: false, missing: lamportsIn((error as Error).message) };
  }
}

const lamportsIn = (text: string | null) => BigInt(/(\d+) lamports/.exec(text ?? "")?.[1] ?? 0);
