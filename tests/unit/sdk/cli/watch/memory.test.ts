import { expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/prices/price-history";
import { createWatchMemory, sumSavedInADay } from "@/lib/sdk/cli/watch/memory";
import type { Roundup } from "@/lib/sdk/index";
import { memoryStorage } from "@/lib/sdk/world";

const NOW = 10 * DAY_MS;
const sol = (amount: string) => ({ asset: "SOL", mint: ASSETS.SOL.mint, amount });
const token = { asset: null, mint: "somebody's", amount: `${10n ** 18n}` };

/** Returns the US dollars saved, at $100 per SOL. */
function savedOf(items: { amounts: object[]; serviceFeeLamports: number | null }[]) {
  const storage = memoryStorage();
  const roundup = {
    serviceWallet: async () => "service",
    activity: async () => ({
      items: items.map((item, i) => {
        const time = new Date(NOW - 1_000).toISOString();
        return { txSignature: `${i}`, type: "round_up", status: "confirmed", time, priceUsd: null, ...item };
      }),
      nextBefore: null,
    }),
  } as unknown as Roundup;
  const memory = createWatchMemory(storage, "wallet");
  return sumSavedInADay({ roundup, storage, memory, wallet: "wallet", clock: { now: () => NOW } }, 100);
}

test("counts the received SOL and the service fee as saved in a day", async () => {
  expect(await savedOf([{ amounts: [sol("10000000")], serviceFeeLamports: 1_000_000 }])).toBeCloseTo(1.1, 9);
});

test("ignores tokens that a stranger adds to a saving, and amounts that leave in one", async () => {
  const [gift, loss] = [[token], [sol("-5000000000")]];
  expect(await savedOf([{ amounts: gift, serviceFeeLamports: 1 }])).toBeLessThan(0.01);
  expect(await savedOf([{ amounts: loss, serviceFeeLamports: 0 }])).toBe(0);
});
