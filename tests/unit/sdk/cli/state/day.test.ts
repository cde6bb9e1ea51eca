import { beforeEach, expect, test } from "vitest";
import { DAY_MS } from "@/lib/domain/prices/price-history";
import { readDayMoves } from "@/lib/sdk/cli/state/day";
import type { Activity } from "@/lib/sdk/reads";
import { memoryStorage } from "@/lib/sdk/world";

const MINUTE = 60_000;

let now: number;
let storage: ReturnType<typeof memoryStorage>;
/** Transactions on the chain, newest first. */
let chain: { txSignature: string; type: string; status: string; time: string | null }[];
/** Remaining calls before the rate limit. */
let callsLeft: number;
let calls: number;

beforeEach(() => {
  [now, storage, chain, callsLeft, calls] = [10 * DAY_MS, memoryStorage(), [], Number.POSITIVE_INFINITY, 0];
});

const happens = (type: string, count = 1, time: string | null = new Date(now).toISOString()) => {
  for (let i = 0; i < count; i++) chain.unshift({ txSignature: `${chain.length}`, type, status: "confirmed", time });
  return chain[0]!.txSignature;
};

const reader = {
  async activity({ limit = 0, before }: { limit?: number; before?: string }) {
    calls += 1;
    if (calls > callsLeft) throw new Error("rate_limited");
    const from = before === undefined ? 0 : chain.findIndex(({ txSignature }) => txSignature === before) + 1;
    const items = chain.slice(from, from + limit);
    const nextBefore = from + limit < chain.length ? items.at(-1)!.txSignature : null;
    return { items, nextBefore } as unknown as Activity;
  },
};

const look = async () => {
  calls = 0;
  return (await readDayMoves(reader, storage, "wallet", now))?.map(({ txSignature }) => txSignature) ?? null;
};

test("returns the savings, swaps and withdrawals of one day, across pages", async () => {
  const old = happens("round_up");
  now += DAY_MS;
  const moved = ["round_up", "swap", "withdrawal"].map((type) => {
    happens("deposit", 40);
    return happens(type);
  });
  chain.find(({ txSignature }) => txSignature === moved[1])!.status = "failed";
  expect(await look()).toEqual([moved[2], moved[0]]);
  expect(chain.map(({ txSignature }) => txSignature)).toContain(old);
  now += DAY_MS;
  expect(await look()).toEqual([]);
});

test("makes at most ten requests per call for a long history, and finally counts it once and stores it", async () => {
  const first = happens("round_up");
  happens("deposit", 1_200);
  const last = happens("round_up");
  now += 20 * MINUTE;
  expect(await look()).toBeNull();
  expect(await look()).toBeNull();
  expect(await look()).toEqual([last, first]);
  happens("deposit", 20);
  const next = happens("round_up");
  expect(await look(), "from here on only what is new is read").toEqual([next, last, first]);
  expect(calls).toBe(1);
});

test("resumes after the rate limit, in the same process or the next one", async () => {
  const first = happens("round_up");
  happens("deposit", 400);
  now += 20 * MINUTE;
  callsLeft = 4;
  await expect(look()).rejects.toThrow("rate_limited");
  await expect(look()).rejects.toThrow("rate_limited");
  expect(await look()).toEqual([first]);
});

test("includes transactions that arrive while older ones are read", async () => {
  const first = happens("round_up");
  happens("deposit", 600);
  now += 20 * MINUTE;
  expect(await look()).toBeNull();
  const meanwhile = happens("round_up");
  expect(await look()).toEqual([meanwhile, first]);
});

test("counts transactions that a node shows late or incompletely", async () => {
  happens("round_up");
  const late = { ...chain[0]!, txSignature: "late" };
  happens("deposit");
  now += MINUTE;
  expect(await look()).toEqual(["0"]);
  chain.splice(1, 0, late);
  expect(await look()).toEqual(["late", "0"]);
});

test("dates a transaction without a time to its first read", async () => {
  happens("swap", 1, null);
  now += 20 * MINUTE;
  happens("swap");
  now += 20 * MINUTE;
  expect(await look()).toEqual(["1", "0"]);
});

test("starts over after a damaged file", async () => {
  const first = happens("round_up");
  await storage.set("roundup-day:wallet", "{");
  expect(await look()).toEqual([first]);
});
