import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "@/lib/sdk/platform";
import { createPriceStore, parseConfirmedPrices } from "@/lib/sdk/prices/price-store";

const HOUR_MS = 3_600_000;
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
    ["more entries than a client stores", JSON.stringify({ SOL: Array.from({ length: 33 }, () => price) })],
    ["a text over the size limit", `${JSON.stringify({ SOL: [price] })}${" ".repeat(20_000)}`],
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
