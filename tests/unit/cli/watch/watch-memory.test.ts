import { expect, test } from "vitest";
import { createWatchMemory, sumSavedInADay } from "@/lib/cli/watch/watch-memory";
import { ASSETS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/time";
import type { Roundup } from "@/lib/sdk/index";
import { createMemoryStorage } from "@/lib/sdk/platform";

const NOW = 10 * DAY_MS;
const createSolAmount = (amount: string) => ({ asset: "SOL", mint: ASSETS.SOL.mint, amount });
const UNKNOWN_TOKEN = { asset: null, mint: "unknown", amount: `${10n ** 18n}` };

/** Returns the US dollars that a saving of today counts, at $100 per SOL. */
function sumSaved(saving: { amounts: object[]; serviceFeeLamports: number }) {
  const storage = createMemoryStorage();
  const time = new Date(NOW - 1_000).toISOString();
  const item = { txSignature: "saving", type: "round_up", status: "confirmed", time, priceUsd: null, ...saving };
  const roundup = {
    serviceWallet: async () => "service",
    activity: async () => ({ items: [item], nextBefore: null }),
  } satisfies Partial<Record<keyof Roundup, unknown>> as unknown as Roundup;
  const memory = createWatchMemory(storage, "wallet");
  const clock = { now: () => NOW, sleep: async () => {} };
  return sumSavedInADay({ roundup, storage, memory, wallet: "wallet", clock }, 100);
}

test("the watch counts the received SOL and the service fee as saved", async () => {
  const saving = { amounts: [createSolAmount("10000000")], serviceFeeLamports: 1_000_000 };
  expect(await sumSaved(saving)).toBeCloseTo(1.1, 9);
});

test("the watch ignores added tokens and outgoing amounts of a saving", async () => {
  const [gift, loss] = [[UNKNOWN_TOKEN], [createSolAmount("-5000000000")]];
  expect(await sumSaved({ amounts: gift, serviceFeeLamports: 1 })).toBeLessThan(0.01);
  expect(await sumSaved({ amounts: loss, serviceFeeLamports: 0 })).toBe(0);
});
