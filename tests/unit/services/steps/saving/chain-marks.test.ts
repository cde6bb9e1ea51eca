import { beforeEach, describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { buildTopup } from "@/lib/services/build-topup";
import { setPrices, stageOutage } from "../../../../support/fakes/fake-deps";
import { clearStore, rollBack } from "../../../../support/store/store-snapshot";
import { readErrorCode, readSignature, signBuild, startPosting, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

/** Much shorter than a blockhash lives. */
const SHORT_PAUSE_MS = 2_000;
let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const pauseShortly = () => world.deps.clock.advance(SHORT_PAUSE_MS);

async function landPayment(usd: number): Promise<string> {
  await pauseShortly();
  return world.pay(usd);
}

async function readFirstBatch(): Promise<Batch> {
  await pauseShortly();
  return (await world.readSpending()).batches[0]!;
}

/** Advances the clock until the call ends, because a build may wait for the next blockhash. */
async function advanceUntilDone<T>(pending: Promise<T>): Promise<T> {
  let isOver = false;
  const markOver = () => {
    isOver = true;
  };
  pending.then(markOver, markOver);
  while (!isOver) await world.deps.clock.advance(400);
  return pending;
}

const postNow = (bytes: Uint8Array) => advanceUntilDone(startPosting(world.deps, bytes));

/** Returns the code of a planned failure, or null. */
const findCode = (call: Promise<unknown>) => call.then(() => null, readErrorCode);

async function buildLater(batch: Batch): Promise<Uint8Array> {
  await pauseShortly();
  return (await world.buildSaving(batch))!;
}

/** Builds and posts a batch. Returns the code of a planned failure, or null. */
const saveBatch = (batch: Batch) => findCode(buildLater(batch).then(postNow));

/** Deletes every key except those of service wallets, without which no signed saving could be posted. */
const loseMarks = () => rollBack(world.deps, new Map(), (key) => !/^(service-wallet|marked-into):/.test(key));

async function buildTopupBytes(period: string, amountUsd = 5): Promise<Uint8Array> {
  setPrices(world.deps);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: world.serviceWallet };
  return signBuild(await buildTopup(world.deps, { amountUsd, period, ...wallets }));
}

const topUp = (period: string, amountUsd?: number) => findCode(buildTopupBytes(period, amountUsd).then(postNow));

test("a batch signed before the store was flushed is not saved twice, and the refusal names the saving transaction", async () => {
  await landPayment(1.1);
  const batch = await readFirstBatch();
  const [firstSaving, secondSaving] = [(await world.buildSaving(batch))!, await buildLater(batch)];
  await postNow(firstSaving);
  await loseMarks();
  const details = { txSignature: readSignature(firstSaving) };
  await expect(postNow(secondSaving)).rejects.toMatchObject({ code: "already_saved", details });
  await postNow(firstSaving);
  expect(world.landedSignatures).toEqual([readSignature(firstSaving)]);
});

test.each(["2026-W47", "2026-09", "2026-09-21", "2030-01", "first"])(
  "the top-up of the period %s is made once although the store is flushed",
  async (period) => {
    expect(await topUp(period)).toBeNull();
    for (let i = 0; i < 3; i++) {
      await clearStore(world.deps);
      expect(await topUp(period, 6 + i)).toBe("already_saved");
    }
    expect(world.landedSignatures).toHaveLength(1);
    expect(await topUp("second")).toBeNull();
  },
);

describe("the search on the chain", () => {
  test.each<[string, () => void]>([
    ["fails", () => void stageOutage(world.deps, ({ method }) => method === "readSignatures")],
    ["lags", () => stageLag()],
    [
      "lists the mark's transaction but does not have its data",
      () => world.deps.chain.transactions.delete(world.landedSignatures[0]!),
    ],
  ])("fails with status 503 while a node %s", async (_caseName, stageFault) => {
    await landPayment(1.1);
    const batch = await readFirstBatch();
    const staleSaving = (await world.buildSaving(batch))!;
    await pauseShortly();
    expect(await saveBatch(batch)).toBeNull();
    await loseMarks();
    stageFault();
    await expect(postNow(staleSaving)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(world.landedSignatures).toHaveLength(1);
  });

  /** Stages a node that lists the history without its newest transaction and reports an older slot. */
  function stageLag(): void {
    const { slot, history } = world.deps.chain;
    const markSlot = slot();
    history.set(user.address, history.get(user.address)!.slice(1));
    const { readSignatures } = world.deps.rpc;
    world.deps.rpc.readSignatures = (address, page) => {
      if ((page.minSlot ?? 0) >= markSlot - 100) throw new AppError("upstream_unavailable");
      return readSignatures(address, page);
    };
  }

  test("fails with status 503, not already_saved, for a saving that landed itself", async () => {
    await landPayment(1.1);
    const bytes = (await world.buildSaving(await readFirstBatch()))!;
    await postNow(bytes);
    await loseMarks();
    const { getStatus } = world.deps.chain;
    world.deps.chain.getStatus = (signature, searchesHistory) =>
      signature === readSignature(bytes) ? null : getStatus(signature, searchesHistory);
    await expect(postNow(bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
