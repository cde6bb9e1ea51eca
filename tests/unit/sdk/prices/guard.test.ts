import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "@/lib/sdk/platform";
import {
  createPriceGuard,
  createPriceStore,
  describeDoubts,
  type PriceSource,
  parseConfirmedPrices,
} from "@/lib/sdk/prices/guard";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 21, 10);

/** Creates the guard of a client that confirmed these prices, in USD, at START. Its clock shows `hours` later. */
async function createClient(usd: Record<string, number>, hours = 0, source?: PriceSource) {
  const storage = createMemoryStorage();
  const createGuard = (nowMs: number) =>
    createPriceGuard({ storage, clock: { now: () => nowMs }, network: "sandbox", source });
  await createGuard(START).confirm(usd);
  return { guard: createGuard(START + hours * HOUR_MS), storage };
}

const createSource = (usd: number, { ageMs = 0, confidenceUsd = 0 } = {}): PriceSource => ({
  maxAgeMs: 60_000,
  readPrices: async () => ({ SOL: { usd, confidenceUsd, publishedAt: START + 24 * HOUR_MS - ageMs } }),
});

describe("the price guard without a second source", () => {
  test("doubts a move of 40 % within a day, but not a move of 25 %", async () => {
    const { guard } = await createClient({ SOL: 150, BTC: 100_000 }, 24);
    expect(await guard.listDoubts({ SOL: 112.5, BTC: 125_000 })).toEqual([]);
    const doubts = await guard.listDoubts({ SOL: 90, BTC: 100_000 });
    expect(doubts).toEqual([{ asset: "SOL", usd: 90, before: { usd: 150, at: START }, kind: "moved" }]);
    expect(describeDoubts(doubts)).toMatch(/SOL costs \$90\.00.*\$150\.00.*2026-11-21 10:00 UTC/);
  });

  test("replaces the old price after the user accepts the new one", async () => {
    const { guard } = await createClient({ SOL: 150, BTC: 100_000 }, 1);
    await guard.accept(await guard.listDoubts({ SOL: 90 }));
    expect(await guard.listDoubts({ SOL: 90 })).toEqual([]);
    expect(await guard.listDoubts({ SOL: 150 })).toHaveLength(1);
    expect(await guard.readConfirmed()).toEqual({ SOL: 90, BTC: 100_000 });
  });

  test("accepts a first price only within the plausible bounds", async () => {
    const { guard } = await createClient({});
    expect(await guard.listDoubts({ SOL: 11 })).toEqual([]);
    const doubts = await guard.listDoubts({ SOL: 0.0001 });
    expect(doubts).toMatchObject([{ kind: "implausible" }]);
    await guard.accept(doubts);
    expect(await guard.listDoubts({ SOL: 0.0001 })).toEqual(doubts);
  });

  test("overwrites damaged storage, which counts as empty", async () => {
    const { guard, storage } = await createClient({ SOL: 150 });
    await storage.set("roundup-prices:sandbox", '{"SOL":[{"usd":-1');
    expect(await guard.listDoubts({ SOL: 90 })).toEqual([]);
    await guard.confirm({ SOL: 90 });
    expect(await guard.listDoubts({ SOL: 150 })).toHaveLength(1);
  });
});

describe("the price guard with a second source", () => {
  test("confirms a price within 2 % of the source", async () => {
    const { guard } = await createClient({ SOL: 150 }, 24, createSource(91));
    expect(await guard.listDoubts({ SOL: 90 })).toEqual([]);
    expect(await guard.readConfirmed()).toEqual({ SOL: 90 });
  });

  test.each<[string, PriceSource]>([
    ["reports another price", createSource(93)],
    ["reports a stale price", createSource(90, { ageMs: 61_000 })],
    ["reports a wide confidence interval", createSource(90, { confidenceUsd: 1 })],
    ["has no price", { maxAgeMs: 60_000, readPrices: async () => ({}) }],
    ["cannot be reached", { maxAgeMs: 60_000, readPrices: () => Promise.reject(new Error("no network")) }],
  ])("does not confirm a price when the source %s", async (_caseName, source) => {
    const { guard } = await createClient({ SOL: 150 }, 24, source);
    expect(await guard.listDoubts({ SOL: 90 })).toMatchObject([{ kind: "moved" }]);
  });

  test("requires the source's confirmation for a first price", async () => {
    const { guard } = await createClient({}, 24, createSource(150));
    expect(await guard.listDoubts({ SOL: 90 })).toMatchObject([{ kind: "unconfirmed", before: null }]);
    expect(await guard.listDoubts({ SOL: 151 })).toEqual([]);
  });

  test("does not query the source for a small move", async () => {
    const readPrices = () => Promise.reject(new RangeError("The source must not be queried."));
    const { guard } = await createClient({ SOL: 150 }, 24, { maxAgeMs: 0, readPrices });
    expect(await guard.listDoubts({ SOL: 140 })).toEqual([]);
  });
});

const NOW = 1_800_000_000_000;

describe("parseConfirmedPrices", () => {
  const price = { usd: 150, at: NOW };
  test.each<[string, string]>([
    ["invalid JSON", "{"],
    ["a number", "7"],
    ["null", "null"],
    ["an object instead of a list", JSON.stringify({ SOL: price })],
    ["a price as a string", JSON.stringify({ SOL: [{ ...price, usd: "150" }] })],
    ["a price of zero", JSON.stringify({ SOL: [{ ...price, usd: 0 }] })],
    ["an implausible price", JSON.stringify({ SOL: [{ ...price, usd: 0.0001 }] })],
    ["an infinite price", '{"SOL":[{"usd":1e999,"at":1}]}'],
    ["a time beyond the range of Date", JSON.stringify({ SOL: [{ ...price, at: 9e15 }] })],
    ["a fraction of a millisecond", JSON.stringify({ SOL: [{ ...price, at: 1.5 }] })],
    ["one invalid entry among valid ones", JSON.stringify({ SOL: [price, null] })],
    ["a prototype member", '{"__proto__":{"SOL":[{"usd":150,"at":1}]}}'],
  ])("ignores %s", (_caseName, text) => {
    expect(parseConfirmedPrices(text)).toEqual({});
  });

  test("drops only the damaged and unknown assets", () => {
    const text = JSON.stringify({ SOL: [{ ...price, note: "hi" }], BTC: "?", DOGE: [price] });
    expect(parseConfirmedPrices(text)).toEqual({ SOL: [price] });
  });
});

describe("the price store", () => {
  test("stores at most one price per hour of the last day", async () => {
    const priceStore = createPriceStore(createMemoryStorage(), "sandbox");
    for (let minute = 0; minute < 3 * 24 * 60; minute += 7) await priceStore.add({ SOL: 150 }, NOW + minute * 60_000);
    const { SOL } = await priceStore.readPrices();
    expect(SOL!.length).toBeLessThanOrEqual(24);
    expect(SOL!.length).toBeGreaterThan(20);
    expect(SOL!.at(-1)!.at - SOL![0]!.at).toBeLessThan(24 * HOUR_MS);
  });

  test("separates the prices of the sandbox from those of mainnet", async () => {
    const storage = createMemoryStorage();
    await createPriceStore(storage, "sandbox").add({ SOL: 150 }, NOW);
    expect(await createPriceStore(storage, "mainnet-beta").readPrices()).toEqual({});
  });
});
