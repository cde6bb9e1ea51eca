import { beforeEach, expect, test } from "vitest";
import { DAY_MS } from "@/lib/domain/time";
import { readDayMoves } from "@/lib/sdk/cli/state/day";
import type { Activity } from "@/lib/sdk/reads";
import { memoryStorage } from "@/lib/sdk/world";

const MINUTE_MS = 60_000;

let now: number;
let storage: ReturnType<typeof memoryStorage>;
/** Transactions on the chain, newest first. */
let chain: { txSignature: string; type: string; status: string; time: string | null }[];
/** Number of requests that the service answers in one call of `readMovementSignatures`. It refuses the others. */
let requestLimit: number;
let requestCount: number;

beforeEach(() => {
  [now, storage, chain] = [10 * DAY_MS, memoryStorage(), []];
  [requestLimit, requestCount] = [Number.POSITIVE_INFINITY, 0];
});

/** Adds transactions of this type. Returns the signature of the newest. */
const addTransactions = (type: string, count = 1, time: string | null = new Date(now).toISOString()) => {
  for (let i = 0; i < count; i++) chain.unshift({ txSignature: `${chain.length}`, type, status: "confirmed", time });
  return chain[0]!.txSignature;
};

const reader = {
  async activity({ limit = 0, before }: { limit?: number; before?: string }) {
    requestCount += 1;
    if (requestCount > requestLimit) throw new Error("rate_limited");
    const start = before === undefined ? 0 : chain.findIndex(({ txSignature }) => txSignature === before) + 1;
    const items = chain.slice(start, start + limit);
    const nextBefore = start + limit < chain.length ? items.at(-1)!.txSignature : null;
    return { items, nextBefore } as unknown as Activity;
  },
};

/** Returns the signatures of the day's movements; null while more pages must be read. */
const readMovementSignatures = async () => {
  requestCount = 0;
  return (await readDayMoves(reader, storage, "wallet", now))?.map(({ txSignature }) => txSignature) ?? null;
};

test("returns the confirmed movements of one day, from several pages", async () => {
  addTransactions("round_up");
  now += DAY_MS;
  const signatures = ["round_up", "swap", "withdrawal"].map((type) => {
    addTransactions("deposit", 40);
    return addTransactions(type);
  });
  chain.find(({ txSignature }) => txSignature === signatures[1])!.status = "failed";
  expect(await readMovementSignatures()).toEqual([signatures[2], signatures[0]]);
  now += DAY_MS;
  expect(await readMovementSignatures()).toEqual([]);
});

test("reads a long history once, with at most ten requests per call", async () => {
  const oldest = addTransactions("round_up");
  addTransactions("deposit", 1_200);
  const newer = addTransactions("round_up");
  now += 20 * MINUTE_MS;
  expect(await readMovementSignatures()).toBeNull();
  expect(requestCount).toBe(10);
  expect(await readMovementSignatures()).toBeNull();
  expect(await readMovementSignatures()).toEqual([newer, oldest]);
  addTransactions("deposit", 20);
  const newest = addTransactions("round_up");
  expect(await readMovementSignatures(), "only new transactions are read now").toEqual([newest, newer, oldest]);
  expect(requestCount).toBe(1);
});

test("resumes after the rate limit where the read stopped", async () => {
  const savingSignature = addTransactions("round_up");
  addTransactions("deposit", 400);
  now += 20 * MINUTE_MS;
  requestLimit = 4;
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});

test("includes transactions that land while older ones are read", async () => {
  const oldest = addTransactions("round_up");
  addTransactions("deposit", 600);
  now += 20 * MINUTE_MS;
  expect(await readMovementSignatures()).toBeNull();
  const newest = addTransactions("round_up");
  expect(await readMovementSignatures()).toEqual([newest, oldest]);
});

test("includes a transaction that a node shows late", async () => {
  addTransactions("round_up");
  const late = { ...chain[0]!, txSignature: "late" };
  addTransactions("deposit");
  now += MINUTE_MS;
  expect(await readMovementSignatures()).toEqual(["0"]);
  chain.splice(1, 0, late);
  expect(await readMovementSignatures()).toEqual(["late", "0"]);
});

test("uses the time of the first read for a transaction without a time", async () => {
  addTransactions("swap", 1, null);
  now += 20 * MINUTE_MS;
  addTransactions("swap");
  now += 20 * MINUTE_MS;
  expect(await readMovementSignatures()).toEqual(["1", "0"]);
});

test("starts over when the stored progress is damaged", async () => {
  const savingSignature = addTransactions("round_up");
  await storage.set("roundup-day:wallet", "{");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});
