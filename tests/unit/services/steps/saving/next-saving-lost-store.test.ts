import { beforeEach, describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { buildTopup } from "@/lib/services/build-topup";
import { runFor, setPrices, stageOutage } from "../../../../support/fakes/fake-deps";
import { clearStore, rollBack } from "../../../../support/store/store-snapshot";
import { readErrorCode, readSignature, signBuild, startPosting, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

/** Advances the clock by much less than a blockhash lives. */
const pauseShortly = () => world.deps.clock.advance(2_000);

/** Makes a payment and reads its batch. */
async function payAndReadBatch(): Promise<Batch> {
  world.pay(1.1);
  await pauseShortly();
  return (await world.readSpending()).batches[0]!;
}

/** Posts within 10 s, so that the blockhash of a saving that is posted later stays valid. */
const postNow = (bytes: Uint8Array) => runFor(10_000, world.deps, startPosting(world.deps, bytes));

async function buildLater(batch: Batch): Promise<Uint8Array> {
  await pauseShortly();
  return (await world.buildSaving(batch))!;
}

/** Deletes every key except those of service wallets, without which no signed saving could be posted. */
const loseMarks = () => rollBack(world.deps, new Map(), (key) => !/^(service-wallet|marked-into):/.test(key));

async function buildTopupBytes(period: string, amountUsd = 5): Promise<Uint8Array> {
  setPrices(world.deps);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: world.serviceWallet };
  return signBuild(await buildTopup(world.deps, { amountUsd, period, ...wallets }));
}

/** Builds and posts a top-up. Returns the code of a planned failure, or null. */
const topUp = (period: string, amountUsd?: number) =>
  buildTopupBytes(period, amountUsd)
    .then(postNow)
    .then(() => null, readErrorCode);

test("a batch signed before the store was flushed is not saved twice, and the refusal names the saving transaction", async () => {
  const batch = await payAndReadBatch();
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
    const batch = await payAndReadBatch();
    const staleSaving = (await world.buildSaving(batch))!;
    await postNow(await buildLater(batch));
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
    const bytes = (await world.buildSaving(await payAndReadBatch()))!;
    await postNow(bytes);
    await loseMarks();
    const { getStatus } = world.deps.chain;
    world.deps.chain.getStatus = (signature, searchesHistory) =>
      signature === readSignature(bytes) ? null : getStatus(signature, searchesHistory);
    await expect(postNow(bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
