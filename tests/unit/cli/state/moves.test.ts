import { beforeEach, expect, test } from "vitest";
import { type LimitPeriod, readMoves } from "@/lib/cli/state/moves";
import { DAY_MS } from "@/lib/domain/time";
import { createMemoryStorage } from "@/lib/sdk/platform";
import type { Activity } from "@/lib/sdk/reads";

const MINUTE_MS = 60_000;
/** Twice the age after which the reader does not read a transaction again, ms. */
const SETTLED_MS = 20 * MINUTE_MS;

let nowMs: number;
let storage: ReturnType<typeof createMemoryStorage>;
/** Transactions on the chain, newest first. */
let chain: { txSignature: string; type: string; status: string; time: string | null }[];
/** Number of requests that the service answers in one call of `readMovementSignatures`. It refuses the others. */
let requestLimit: number;
let requestCount: number;

beforeEach(() => {
  [nowMs, storage, chain] = [10 * DAY_MS, createMemoryStorage(), []];
  [requestLimit, requestCount] = [Number.POSITIVE_INFINITY, 0];
});

/** Adds transactions of this type. Returns the signature of the newest. */
const addTransactions = (type: string, count = 1, time: string | null = new Date(nowMs).toISOString()) => {
  for (let i = 0; i < count; i++) chain.unshift({ txSignature: `${chain.length}`, type, status: "confirmed", time });
  return chain[0]!.txSignature;
};

const fakeReader = {
  async activity({ limit = 0, before }: { limit?: number; before?: string }) {
    requestCount += 1;
    if (requestCount > requestLimit) throw new Error("rate_limited");
    const start = before === undefined ? 0 : chain.findIndex(({ txSignature }) => txSignature === before) + 1;
    const items = chain.slice(start, start + limit);
    const nextBefore = start + limit < chain.length ? items.at(-1)!.txSignature : null;
    return { items, nextBefore } as unknown as Activity;
  },
};

/** Returns the signatures of the period's movements; null while more pages must be read. */
const readMovementSignatures = async (period: LimitPeriod = "day") => {
  requestCount = 0;
  return (await readMoves(period, fakeReader, storage, "wallet", nowMs))?.map(({ txSignature }) => txSignature) ?? null;
};

test("the day's movements are the confirmed ones of the last 24 hours, from several pages", async () => {
  addTransactions("round_up");
  nowMs += DAY_MS;
  const signatures = ["round_up", "swap", "withdrawal"].map((type) => {
    addTransactions("deposit", 40);
    return addTransactions(type);
  });
  chain.find(({ txSignature }) => txSignature === signatures[1])!.status = "failed";
  expect(await readMovementSignatures()).toEqual([signatures[2], signatures[0]]);
  nowMs += DAY_MS;
  expect(await readMovementSignatures()).toEqual([]);
});

test("a read that the rate limit stopped continues where it stopped", async () => {
  const savingSignature = addTransactions("round_up");
  addTransactions("deposit", 400);
  nowMs += SETTLED_MS;
  requestLimit = 4;
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});

test("the movements include transactions that land while older ones are read", async () => {
  const oldestSignature = addTransactions("round_up");
  addTransactions("deposit", 600);
  nowMs += SETTLED_MS;
  expect(await readMovementSignatures()).toBeNull();
  const newestSignature = addTransactions("round_up");
  expect(await readMovementSignatures()).toEqual([newestSignature, oldestSignature]);
});

test("the movements include a new transaction that the node shows only after newer ones", async () => {
  addTransactions("round_up");
  const lateTransaction = { ...chain[0]!, txSignature: "late" };
  addTransactions("deposit");
  nowMs += MINUTE_MS;
  expect(await readMovementSignatures()).toEqual(["0"]);
  chain.splice(1, 0, lateTransaction);
  expect(await readMovementSignatures()).toEqual(["late", "0"]);
});

test("a month's movements are those of the last 32 days, also after a read of the day", async () => {
  addTransactions("round_up");
  nowMs += 2 * DAY_MS;
  const signatures = [];
  for (let day = 0; day < 32; day++) {
    addTransactions("deposit", 30);
    signatures.unshift(addTransactions("round_up"));
    nowMs += DAY_MS;
  }
  nowMs -= DAY_MS;
  expect(await readMovementSignatures()).toEqual(signatures.slice(0, 1));
  // The first calls do not reach the first day.
  expect(await readMovementSignatures("month")).toBeNull();
  expect(await readMovementSignatures("month")).toBeNull();
  expect(await readMovementSignatures("month")).toEqual(signatures);
});

test("damaged progress in the storage makes the next call read from the start", async () => {
  const savingSignature = addTransactions("round_up");
  await storage.set("roundup-day:wallet", "{");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});
