import { describe, expect, test } from "vitest";
import { parseConfirmed, priceMemory } from "@/lib/sdk/prices/memory";
import { memoryStorage } from "@/lib/sdk/world";

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

describe("what was stored", () => {
  const good = { usd: 150, at: NOW };
  test.each<[string, string]>([
    ["nothing readable", "{"],
    ["no object", "7"],
    ["null", "null"],
    ["no list", JSON.stringify({ SOL: good })],
    ["a price that is text", JSON.stringify({ SOL: [{ ...good, usd: "150" }] })],
    ["a price of nothing", JSON.stringify({ SOL: [{ ...good, usd: 0 }] })],
    ["a price beyond what is plausible", JSON.stringify({ SOL: [{ ...good, usd: 0.0001 }] })],
    ["no finite price", '{"SOL":[{"usd":1e999,"at":1}]}'],
    ["a time that is none", JSON.stringify({ SOL: [{ ...good, at: 9e15 }] })],
    ["a fraction of a millisecond", JSON.stringify({ SOL: [{ ...good, at: 1.5 }] })],
    ["one that is none among good ones", JSON.stringify({ SOL: [good, null] })],
    ["more than a client ever keeps", JSON.stringify({ SOL: Array.from({ length: 33 }, () => good) })],
    ["a file that was blown up", `${JSON.stringify({ SOL: [good] })}${" ".repeat(20_000)}`],
    ["a prototype", '{"__proto__":{"SOL":[{"usd":150,"at":1}]}}'],
  ])("%s counts as nothing", (_what, text) => {
    expect(parseConfirmed(text)).toEqual({});
  });

  test("one asset's garbage costs the others nothing, and members that nobody knows are dropped", () => {
    const text = JSON.stringify({ SOL: [{ ...good, note: "hi" }], BTC: "?", DOGE: [good] });
    expect(parseConfirmed(text)).toEqual({ SOL: [good] });
  });
});

describe("what is kept", () => {
  test("is at most one price an hour, of the last day, and never grows beyond what is read back", async () => {
    const memory = priceMemory(memoryStorage(), "sandbox");
    for (let minute = 0; minute < 3 * 24 * 60; minute += 7) await memory.add({ SOL: 150 }, NOW + minute * 60_000);
    const { SOL } = await memory.read();
    expect(SOL!.length).toBeLessThanOrEqual(24);
    expect(SOL!.length).toBeGreaterThan(20);
    expect(SOL!.at(-1)!.at - SOL![0]!.at).toBeLessThan(24 * HOUR);
  });

  test("a price that a person accepted replaces all earlier ones", async () => {
    const memory = priceMemory(memoryStorage(), "sandbox");
    await memory.add({ SOL: 150, BTC: 100_000 }, NOW);
    await memory.replace({ SOL: 90 }, NOW + 5 * HOUR);
    expect(await memory.read()).toEqual({
      SOL: [{ usd: 90, at: NOW + 5 * HOUR }],
      BTC: [{ usd: 100_000, at: NOW }],
    });
  });

  test("play money's prices are none of real money's", async () => {
    const storage = memoryStorage();
    await priceMemory(storage, "sandbox").add({ SOL: 150 }, NOW);
    expect(await priceMemory(storage, "mainnet-beta").read()).toEqual({});
  });
});
