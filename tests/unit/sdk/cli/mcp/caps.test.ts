import { describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/prices/price-history";
import { sumMovedInADay, toMicroUsdOfAmounts } from "@/lib/sdk/cli/mcp/caps";
import { openLedger } from "@/lib/sdk/cli/mcp/ledger";
import type { Activity, Overview } from "@/lib/sdk/reads";
import { memoryStorage } from "@/lib/sdk/world";

const NOW = 10 * DAY_MS;
const held = (mint: string, priceUsd: number | null, unpriced: "none" | "unknown" | null) => ({
  mint,
  priceUsd,
  unpriced,
});
const known = {
  prices: { prices: { SOL: 150, BTC: 100_000 } },
  portfolio: null,
  savings: { balances: [held("priced", 2, null), held("worthless", null, "none"), held("unread", null, "unknown")] },
} as unknown as Overview;
const token = (mint: string) => ({ asset: null, mint, amount: 5_000n, decimals: 3 });

describe("the worth of an amount", () => {
  test.each([
    ["priced", 10_000_000n],
    ["worthless", 0n],
  ])("counts a token that is %s", (mint, expected) => {
    expect(toMicroUsdOfAmounts([{ asset: "BTC", ...ASSETS.BTC, amount: 1_000n }, token(mint)], known)).toBe(
      1_000_000n + expected,
    );
  });

  test.each<[string, Parameters<typeof toMicroUsdOfAmounts>]>([
    ["no prices", [[{ asset: "SOL", ...ASSETS.SOL, amount: 1n }], { ...known, prices: null }]],
    ["an asset without a price", [[{ asset: "ETH", ...ASSETS.ETH, amount: 1n }], known]],
    ["a token whose price could not be read", [[token("unread")], known]],
    ["a token of savings that could not be read", [[token("priced")], { ...known, savings: null }]],
  ])("refuses %s instead of counting zero", (_what, [amounts, from]) => {
    expect(() => toMicroUsdOfAmounts(amounts, from)).toThrow("cannot be computed");
  });
});

test.each([
  ["the service's price", 160, 150, 160_000_000n],
  ["the client's confirmed price if the service reports less", 0.0001, 150, 150_000_000n],
  ["the lowest plausible price if there is no confirmed price", 0.0001, undefined, 10_000_000n],
])("values SOL at %s", (_what, SOL, own, expected) => {
  const from = { ...known, prices: { prices: { SOL } }, confirmedPrices: { SOL: own } } as unknown as Overview;
  expect(toMicroUsdOfAmounts([{ asset: "SOL", ...ASSETS.SOL, amount: 1_000_000_000n }], from)).toBe(expected);
});

describe("the sum moved in a day", () => {
  const change = (asset: "SOL" | "BTC", amount: string) => ({
    asset,
    ...ASSETS[asset],
    amount,
    change: Number(amount),
  });
  const item = (txSignature: string, changes: object) => ({
    txSignature,
    type: "swap",
    status: "confirmed",
    time: new Date(NOW).toISOString(),
    amounts: [],
    usdValue: 1,
    ...changes,
  });
  /** Counts the items, served as pages of two. */
  const countOf = (items: object[], ledger = openLedger(memoryStorage(), "wallet", () => NOW)) => {
    const activity = async ({ before }: { before?: string }) => {
      const from = before ? Number(before) : 0;
      const page = { items: items.slice(from, from + 2), nextBefore: from + 2 < items.length ? `${from + 2}` : null };
      return page as unknown as Activity;
    };
    return sumMovedInADay({ activity }, ledger, known);
  };

  test("covers all pages up to the first older item, and includes items without a time", async () => {
    const old = new Date(NOW - DAY_MS).toISOString();
    const items = [item("a", {}), item("b", { time: null }), item("c", {}), item("d", { time: old }), item("e", {})];
    expect(await countOf(items)).toBe(3_000_000n);
  });

  test("omits deposits and failed items, and values items without a figure at today's price", async () => {
    const swap = { usdValue: null, amounts: [change("SOL", "-1000000000"), change("BTC", "150000")] };
    const roundUp = { type: "round_up", usdValue: null, amounts: [change("SOL", "2000000")] };
    const items = [
      item("a", { type: "deposit" }),
      item("b", { status: "failed" }),
      item("c", swap),
      item("d", roundUp),
    ];
    expect(await countOf(items)).toBe(150_300_000n);
  });

  test("ignores junk tokens that strangers burn, and their claimed value", async () => {
    const junk = { asset: null, mint: "junk", decimals: 0, amount: "-1000000", change: -1_000_000 };
    const items = [
      item("burned", { type: "withdrawal", networkFeeLamports: null, usdValue: 1_000_000, amounts: [junk] }),
      item("sent by its owner", { type: "withdrawal", networkFeeLamports: 5_000, usdValue: 40, amounts: [junk] }),
      item("SOL beside junk", {
        type: "withdrawal",
        networkFeeLamports: 5_000,
        usdValue: 40,
        amounts: [change("SOL", "-1000000000"), junk],
      }),
    ];
    expect(await countOf(items)).toBe(150_000_000n);
  });

  test("uses the recorded value if today's price is missing", async () => {
    const amounts = [{ asset: "ETH", ...ASSETS.ETH, amount: "-100000000", change: -1 }];
    expect(await countOf([item("a", { networkFeeLamports: 5_000, usdValue: 40, amounts })])).toBe(40_000_000n);
  });

  test("counts at least today's price if the service understates a value", async () => {
    const amounts = [change("SOL", "-1000000000")];
    expect(await countOf([item("a", { type: "withdrawal", networkFeeLamports: 5_000, usdValue: 1, amounts })])).toBe(
      150_000_000n,
    );
  });

  test("counts each sent action once, on the chain or not, and drops actions that were not sent", async () => {
    const ledger = openLedger(memoryStorage(), "wallet", () => NOW);
    for (const id of ["landed", "may land", "refused"]) await ledger.add(id, 5_000_000n);
    await ledger.recordOutcome("landed", ["a"]);
    await ledger.recordOutcome("refused", []);
    expect(await countOf([item("a", {}), item("b", {})], ledger)).toBe(11_000_000n);
    expect(await countOf([], ledger)).toBe(10_000_000n);
  });
});
