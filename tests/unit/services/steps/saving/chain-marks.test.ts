import { beforeEach, describe, expect, test } from "vitest";
import { buildTopupContract } from "@/lib/contracts/build-topup";
import { AppError } from "@/lib/errors";
import { buildTopup } from "@/lib/services/build-topup";
import { parseInput } from "../../../../support/client/contract-input";
import { pricesAt } from "../../../../support/fakes/fake-deps";
import { signTransaction } from "../../../../support/fixtures/test-wallets";
import { clearStore, rollBack } from "../../../../support/store/store-loss";
import { execute, signatureOf, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

/** Much shorter than a blockhash lives. */
const A_WHILE_MS = 2_000;
let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const later = () => world.deps.clock.advance(A_WHILE_MS);
const wallets = () => ({ userPubkey: user.address, serviceWalletPubkey: world.service });

async function pay(usd: number): Promise<string> {
  await later();
  return world.pay(usd);
}

async function readOne(): Promise<Batch> {
  await later();
  return (await world.read()).batches[0]!;
}

/** Lets time pass until there is an answer: a build may wait for the next blockhash. */
async function settled<T>(pending: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  pending.then(end, end);
  while (!isOver) await world.deps.clock.advance(400);
  return pending;
}

const quickly = (bytes: Uint8Array) => settled(execute(world.deps, bytes));

/** @returns the code of a refusal */
async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

async function buildLater(batch: Batch): Promise<Uint8Array> {
  await later();
  return (await world.build(batch))!;
}

/** Builds and posts, whatever becomes of it. @returns the code of a refusal */
const save = (batch: Batch) => codeOf(buildLater(batch).then(quickly));

/** All but the service wallets: what was signed before could not be posted otherwise. */
const loseMarks = () => rollBack(world.deps, new Map(), (key) => !/^(service-wallet|marked-into):/.test(key));

async function buildTopupOf(period: string, amountUsd = 5): Promise<Uint8Array> {
  world.deps.quoted.current = pricesAt(world.deps.clock.now());
  const { transaction } = await buildTopup(
    world.deps,
    parseInput(buildTopupContract, { amountUsd, period, ...wallets() }),
  );
  return signTransaction(Buffer.from(transaction!.base64, "base64"), user);
}

const topup = (period: string, amountUsd?: number) => codeOf(buildTopupOf(period, amountUsd).then(quickly));

test("a batch signed before the store was flushed is not saved twice, and the refusal names the saving transaction", async () => {
  await pay(1.1);
  const batch = await readOne();
  const [first, second] = [(await world.build(batch))!, await buildLater(batch)];
  await quickly(first);
  await loseMarks();
  const details = { txSignature: signatureOf(first) };
  await expect(quickly(second)).rejects.toMatchObject({ code: "already_saved", details });
  await quickly(first);
  expect(world.landed).toEqual([signatureOf(first)]);
});

describe("a period's top-up", () => {
  test.each(["2026-W47", "2026-09", "2026-09-21", "2030-01", "first"])(
    "of %s is made once, though the store is flushed",
    async (period) => {
      expect(await topup(period)).toBeNull();
      for (let i = 0; i < 3; i++) {
        await clearStore(world.deps);
        expect(await topup(period, 6 + i)).toBe("already_saved");
      }
      expect(world.landed).toHaveLength(1);
      expect(await topup("second")).toBeNull();
    },
  );
});

describe("the search on the chain", () => {
  test.each<[string, () => void]>([
    ["fails", () => failing("readSignatures")],
    ["is behind", () => behind()],
    [
      "lists the mark's transaction, and does not have it",
      () => world.deps.chain.transactions.delete(world.landed[0]!),
    ],
  ])("answers 503 while a node %s", async (_what, stage) => {
    await pay(1.1);
    const batch = await readOne();
    const stale = (await world.build(batch))!;
    await later();
    expect(await save(batch)).toBeNull();
    await loseMarks();
    stage();
    await expect(quickly(stale)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(world.landed).toHaveLength(1);
  });

  function failing(method: string): void {
    const { before } = world.deps;
    world.deps.before = (call) => {
      if (call.method === method) throw new AppError("upstream_unavailable");
      return before(call);
    };
  }

  /** The node lists what it had a while ago, and says so. */
  function behind(): void {
    const { slot, history } = world.deps.chain;
    const at = slot();
    history.set(user.address, history.get(user.address)!.slice(1));
    const { readSignatures } = world.deps.rpc;
    world.deps.rpc.readSignatures = (address, page) => {
      if ((page.minSlot ?? 0) >= at - 100) throw new AppError("upstream_unavailable");
      return readSignatures(address, page);
    };
  }

  test("does not report a saving that has just landed as saved by a different transaction", async () => {
    await pay(1.1);
    const bytes = (await world.build(await readOne()))!;
    await quickly(bytes);
    await loseMarks();
    const { status } = world.deps.chain;
    world.deps.chain.status = (signature, search) =>
      signature === signatureOf(bytes) ? null : status(signature, search);
    await expect(quickly(bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
