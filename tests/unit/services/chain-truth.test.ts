import fc from "fast-check";
import { expect, test } from "vitest";
import type { WatchSettings } from "../../../lib/cli/watch/watch-context";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../../lib/contracts/get-spending";
import { toIsoWeek } from "../../../lib/domain/marks";
import { findWraps } from "../../../lib/domain/wraps";
import { AppError } from "../../../lib/errors";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../lib/services/get-spending";
import { parseInput } from "../../support/client/contract-input";
import { createFreshPriceFeed, FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { signTransaction } from "../../support/fixtures/test-wallets";
import { rollBack, takeSnapshot } from "../../support/store/store-snapshot";
import { type PayBy, toTerms } from "../../support/worlds/claim-world";
import { buildTransaction, ownServiceWallet, user } from "../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageAllowance, stageSpending } from "../../support/worlds/spending-world";
import { createWatchPrograms } from "../../support/worlds/watch-world";

/*
 * Tests that no payment is saved twice after the store has lost keys or has gone back to older values. The loss is
 * staged while no transaction is in flight, because the chain has no mark of a transaction before it lands.
 */

/** The number of random histories. `npm run fuzz` sets more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 25);
const MINUTE_MS = 60_000;
/** The watch program saves everything that is due within this time. */
const WATCH_RUN_MS = 20 * MINUTE_MS;
const MAX_PAYMENTS = 9;
/** The change of payment i is 2^i times 0.15 USD, at 150 USD per SOL. So a saving's amount identifies its payments. */
const CHANGE_USD = 0.15;
const CHANGE_LAMPORTS = 1_000_000n;
const CHANGE_UNITS = 150_000n;
const TERMS = { roundToUsd: 100, ceiling: 100 };
const OWNER = { caller: { kind: "wallet", wallet: user.address } } as const;
const SETTINGS: WatchSettings = {
  terms: { roundToUsd: 100, ceilingUsd: 100 },
  everyUsd: 0.01,
  allocations: [{ asset: "BTC", pct: 100 }],
  thresholdUsd: 1_000_000,
  slippageBps: 100,
  maxPerDayUsd: 1_000,
  maxPerMonthUsd: null,
  keepLamports: 0n,
  weeklyUsd: 2,
  isDryRun: false,
  intervalMs: 5 * MINUTE_MS,
};

interface Device {
  batches: Batch[];
  /** Transactions that are signed and not posted yet. */
  signedTransactions: Uint8Array[];
}

interface World {
  chain: SpendingWorld;
  /** Earlier copies of the store. */
  backups: Awaited<ReturnType<typeof takeSnapshot>>[];
  devices: Device[];
  paymentCount: number;
  topupCount: number;
  /** How often a device was refused with already_saved. */
  refusalCount: number;
}

async function createWorld(): Promise<World> {
  const chain = await stageSpending();
  stageAllowance(chain);
  chain.deps.prices = createFreshPriceFeed(chain.deps.clock);
  await chain.deps.clock.advance(MINUTE_MS);
  const devices = [0, 1].map((): Device => ({ batches: [], signedTransactions: [] }));
  return { chain, backups: [new Map()], devices, paymentCount: 0, topupCount: 0, refusalCount: 0 };
}

function landPayment(world: World): void {
  if (world.paymentCount < MAX_PAYMENTS) world.chain.pay(100 - CHANGE_USD * 2 ** world.paymentCount++);
}

/** Returns null for a planned refusal, and counts it if it is already_saved. Throws any other error. */
const catchRefusal = <T>(world: World, pending: Promise<T>): Promise<T | null> =>
  pending.catch((error) => {
    if (!(error instanceof AppError)) throw error;
    world.refusalCount += Number(error.code === "already_saved");
    return null;
  });

const getWallets = ({ chain }: World) => ({ userPubkey: user.address, serviceWalletPubkey: chain.serviceWallet });

async function readSpending(world: World, device: Device): Promise<void> {
  const input = parseInput(getSpendingContract, { address: user.address });
  const spending = await catchRefusal(world, getSpending(world.chain.deps, input));
  if (spending) device.batches = spending.batches;
}

interface BuildOptions {
  /** True if the device puts the instructions into its own transaction. */
  isAttached: boolean;
  payBy: PayBy;
}

/** Builds and signs the device's batch. The device keeps the batch, so that a stale device may build it again. */
async function buildBatch(world: World, device: Device, { isAttached, payBy }: BuildOptions): Promise<void> {
  const [batch] = device.batches;
  if (!batch) return;
  const input = parseInput(buildWrapBatchContract, { ...batch, ...TERMS, ...toTerms(payBy), ...getWallets(world) });
  const answer = await catchRefusal(world, buildWrapBatch(world.chain.deps, input, OWNER));
  if (answer?.transaction) device.signedTransactions.push(signAnswer(world, answer, { isAttached, payBy }));
}

async function topUp(world: World, device: Device): Promise<void> {
  const { deps } = world.chain;
  const request = {
    amountUsd: 1 + ++world.topupCount / 100,
    period: toIsoWeek(deps.clock.now()),
    ...getWallets(world),
  };
  const answer = await catchRefusal(world, buildTopup(deps, parseInput(buildTopupContract, request)));
  if (answer) device.signedTransactions.push(signAnswer(world, answer, { isAttached: false, payBy: "SOL" }));
}

function signAnswer(
  { chain }: World,
  { transaction, instructions }: Awaited<ReturnType<typeof buildTopup>>,
  { isAttached, payBy }: BuildOptions,
): Uint8Array {
  const signer = payBy === "allowance" ? ownServiceWallet : user;
  if (!isAttached) return signTransaction(Buffer.from(transaction!.base64, "base64"), signer);
  return buildTransaction(instructions, [signer], chain.deps.chain.getLatestBlockhash().blockhash);
}

async function postLastBuilt(world: World, device: Device): Promise<void> {
  const bytes = device.signedTransactions.pop();
  const refusal = bytes && (await world.chain.postAndFindError(bytes));
  world.refusalCount += Number(refusal === "already_saved");
}

/** Expects that no payment and no period is saved twice on the chain. Returns the saved payments as a bit set. */
function expectSavedOnce({ chain: { deps, landedSignatures } }: World): bigint {
  let savedPayments = 0n;
  const periods: string[] = [];
  for (const signature of landedSignatures) {
    const { marks, movements } = deps.chain.transactions.get(signature)!;
    const { kind, value } = marks[0]!.mark;
    if (kind === "topup") periods.push(value);
    else {
      const [wrap] = findWraps(movements, FEE_COLLECTORS);
      const { savedLamports, feeLamports, savedUsdc, feeUsdc } = wrap!;
      const payments = (savedLamports + feeLamports) / CHANGE_LAMPORTS + (savedUsdc + feeUsdc) / CHANGE_UNITS;
      expect(`saved twice: ${(savedPayments & payments).toString(2)}`).toBe("saved twice: 0");
      savedPayments |= payments;
    }
  }
  expect(periods).toEqual([...new Set(periods)]);
  return savedPayments;
}

interface Move {
  run(world: World): unknown;
  [fc.toStringMethod](): string;
}

const createMove = (text: string, run: Move["run"]): Move => ({
  run,
  [fc.toStringMethod]: () => `\n    ${text}`,
});

const buildOptionSets = fc.record({
  isAttached: fc.constantFrom(false, false, true),
  payBy: fc.constantFrom<PayBy>("SOL", "signature", "allowance"),
});
const describeBuild = ({ isAttached, payBy }: BuildOptions) =>
  ` by ${payBy}${isAttached ? ", into its own transaction" : ""}`;

const createDeviceMove = (text: string, run: (world: World, device: Device) => unknown) =>
  fc.nat({ max: 1 }).map((i) => createMove(`device ${i} ${text}`, (world) => run(world, world.devices[i]!)));
const createBuildMove = (text: string, run: (world: World, device: Device, options: BuildOptions) => unknown) =>
  buildOptionSets.chain((options) =>
    createDeviceMove(`${text}${describeBuild(options)}`, (world, device) => run(world, device, options)),
  );

async function payAndBuild(world: World, device: Device, payBy: PayBy): Promise<void> {
  landPayment(world);
  await readSpending(world, device);
  await buildBatch(world, device, { isAttached: false, payBy });
}

const payMoves = fc.constant(createMove("the wallet pays", landPayment));
const readMoves = createDeviceMove("reads", readSpending);
const buildMoves = createBuildMove("builds what it read", buildBatch);
const postMoves = createDeviceMove("posts what it built", postLastBuilt);
const saveMoves = createBuildMove("saves what it read", async (world, device, options) => {
  await buildBatch(world, device, options);
  await postLastBuilt(world, device);
});
const payAndSaveMoves = createBuildMove("reads and saves a new payment", async (world, device, { payBy }) => {
  await payAndBuild(world, device, payBy);
  await postLastBuilt(world, device);
});
const broadcastMoves = createBuildMove(
  "reads, builds and broadcasts a new payment directly",
  async (world, device, { payBy }) => {
    await payAndBuild(world, device, payBy);
    const bytes = device.signedTransactions.pop();
    if (bytes) world.chain.putOnChain(bytes);
  },
);
const topUpMoves = createDeviceMove("tops up for the week", async (world, device) => {
  await topUp(world, device);
  await postLastBuilt(world, device);
});
const waitMoves = fc
  .constantFrom(1, 5, 15)
  .map((minutes) => createMove(`${minutes} min pass`, (world) => world.chain.deps.clock.advance(minutes * MINUTE_MS)));
const backUpMoves = fc.constant(
  createMove("the store is backed up", async ({ chain: { deps }, backups }) => {
    backups.push(await takeSnapshot(deps));
  }),
);

const createMoves = (maxLength: number, weightedMoves: [weight: number, arbitrary: fc.Arbitrary<Move>][]) =>
  fc.array(fc.oneof(...weightedMoves.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
    maxLength,
    size: "max",
  });
const histories = createMoves(14, [
  [4, payAndSaveMoves],
  [2, payMoves],
  [3, readMoves],
  [3, saveMoves],
  [2, buildMoves],
  [1, postMoves],
  [1, broadcastMoves],
  [2, topUpMoves],
  [1, waitMoves],
  [2, backUpMoves],
]);
/** The moves of stale devices after the loss. */
const aftermaths = createMoves(8, [
  [4, saveMoves],
  [1, buildMoves],
  [2, postMoves],
  [2, topUpMoves],
  [1, payMoves],
  [1, readMoves],
  [1, waitMoves],
]);

type KeyFate = "kept" | "lost" | "rolled back";

/** What happens to each store key, in order and repeated: kept, lost, or rolled back to an older copy. */
const fateLists = fc.oneof(
  fc.constant<KeyFate[]>(["lost"]),
  fc.constant<KeyFate[]>(["rolled back"]),
  fc.array(fc.constantFrom<KeyFate>("kept", "lost", "rolled back"), { minLength: 1, maxLength: 12 }),
);

async function loseKeys({ chain: { deps }, backups }: World, fates: KeyFate[], backupIndex: number): Promise<void> {
  const chooseFate = (i: number) => fates[i % fates.length];
  await rollBack(deps, backups[backupIndex % backups.length]!, (_, i) => chooseFate(i) === "rolled back");
  await rollBack(deps, new Map(), (_, i) => chooseFate(i) === "lost");
}

test("stale devices and a new watch program save every payment and period exactly once after any loss of the store", {
  timeout: RUNS * 2_000,
}, async () => {
  const coverage = { saved: 0, refused: 0 };
  const scenarios = [histories, fateLists, fc.nat({ max: 5 }), aftermaths, fc.boolean()] as const;
  await fc.assert(
    fc.asyncProperty(...scenarios, async (history, fates, backupIndex, aftermath, isWatchStartedFirst) => {
      const world = await createWorld();
      const { clock } = world.chain.deps;
      for (const { run } of history) await run(world);
      // No transaction is in flight after this time.
      await clock.advance(5 * MINUTE_MS);
      expectSavedOnce(world);
      await loseKeys(world, fates, backupIndex);
      coverage.saved += Number(world.chain.landedSignatures.length > 0);

      const rig = await createWatchPrograms(world.chain.deps);
      const startWatch = () => rig.start(rig.createMachine("203.0.113.1"), SETTINGS);
      world.refusalCount = 0;
      const earlyProgram = isWatchStartedFirst ? startWatch() : null;
      for (const { run } of aftermath) {
        await run(world);
        expectSavedOnce(world);
      }
      const program = earlyProgram ?? startWatch();
      landPayment(world);
      await clock.advance(WATCH_RUN_MS);
      expect(program.failure).toBeUndefined();
      const allPayments = 2n ** BigInt(world.paymentCount) - 1n;
      expect(`saved: ${expectSavedOnce(world).toString(2)}`).toBe(`saved: ${allPayments.toString(2)}`);
      coverage.refused += Number(world.refusalCount > 0);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 90_000 + RUNS * 500 },
  );
  // Without this check, a case that no random history reaches would pass unnoticed.
  expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 20);
});
