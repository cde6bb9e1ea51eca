import { describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/prices/price-history";
import { sumMovedInADay, toMicroUsdOfAmounts } from "@/lib/sdk/cli/mcp/caps";
import { openLedger } from "@/lib/sdk/cli/mcp/ledger";
import type { Activity, Overview } from "@/lib/sdk/reads";
import { memoryStorage } from "@/lib/sdk/world";

const NOW = 10 * DAY_MS;
const createBalance = (mint: string, priceUsd: number | null, unpriced: "none" | "unknown" | null) => ({
  mint,
  priceUsd,
  unpriced,
});
const OVERVIEW = {
  prices: { prices: { SOL: 150, BTC: 100_000 } },
  portfolio: null,
  savings: {
    balances: [
      createBalance("priced", 2, null),
      createBalance("worthless", null, "none"),
      createBalance("unread", null, "unknown"),
    ],
  },
} as unknown as Overview;
const createToken = (mint: string) => ({ asset: null, mint, amount: 5_000n, decimals: 3 });

describe("the value of an amount", () => {
  test.each([
    ["priced", 10_000_000n],
    ["worthless", 0n],
  ])("includes a token that is %s", (mint, expected) => {
    expect(toMicroUsdOfAmounts([{ asset: "BTC", ...ASSETS.BTC, amount: 1_000n }, createToken(mint)], OVERVIEW)).toBe(
      1_000_000n + expected,
    );
  });

  test.each<[string, Parameters<typeof toMicroUsdOfAmounts>]>([
    ["missing prices", [[{ asset: "SOL", ...ASSETS.SOL, amount: 1n }], { ...OVERVIEW, prices: null }]],
    ["an asset without a price", [[{ asset: "ETH", ...ASSETS.ETH, amount: 1n }], OVERVIEW]],
    ["a token whose price could not be read", [[createToken("unread")], OVERVIEW]],
    ["a token of savings that could not be read", [[createToken("priced")], { ...OVERVIEW, savings: null }]],
  ])("is an error instead of zero for %s", (_what, [amounts, overview]) => {
    expect(() => toMicroUsdOfAmounts(amounts, overview)).toThrow("cannot be computed");
  });
});

test.each([
  ["the service's price", 160, 150, 160_000_000n],
  ["the client's confirmed price if the service reports less", 0.0001, 150, 150_000_000n],
  ["the lowest plausible price if there is no confirmed price", 0.0001, undefined, 10_000_000n],
])("SOL is valued at %s", (_what, SOL, confirmedUsd, expected) => {
  const overview = {
    ...OVERVIEW,
    prices: { prices: { SOL } },
    confirmedPrices: { SOL: confirmedUsd },
  } as unknown as Overview;
  expect(toMicroUsdOfAmounts([{ asset: "SOL", ...ASSETS.SOL, amount: 1_000_000_000n }], overview)).toBe(expected);
});

describe("sumMovedInADay", () => {
  const createAmount = (asset: "SOL" | "BTC", amount: string) => ({
    asset,
    ...ASSETS[asset],
    amount,
    change: Number(amount),
  });
  const createItem = (txSignature: string, changes: object = {}) => ({
    txSignature,
    type: "swap",
    status: "confirmed",
    time: new Date(NOW).toISOString(),
    amounts: [],
    usdValue: 1,
    ...changes,
  });
  /** Sums the items, which the service lists in pages of two. */
  const sumItems = (items: object[], ledger = openLedger(memoryStorage(), "wallet", () => NOW)) => {
    const activity = async ({ before }: { before?: string }) => {
      const start = before ? Number(before) : 0;
      const page = {
        items: items.slice(start, start + 2),
        nextBefore: start + 2 < items.length ? `${start + 2}` : null,
      };
      return page as unknown as Activity;
    };
    return sumMovedInADay({ activity }, ledger, OVERVIEW);
  };

  test("covers all pages up to the first item that is older than a day", async () => {
    const dayAgo = new Date(NOW - DAY_MS).toISOString();
    const items = [
      createItem("a"),
      createItem("b", { time: null }),
      createItem("c"),
      createItem("d", { time: dayAgo }),
      createItem("e"),
    ];
    expect(await sumItems(items)).toBe(3_000_000n);
  });

  test("omits deposits and failed items", async () => {
    const items = [createItem("a", { type: "deposit" }), createItem("b", { status: "failed" }), createItem("c")];
    expect(await sumItems(items)).toBe(1_000_000n);
  });

  test("values an item without the service's figure at today's price", async () => {
    const swap = { usdValue: null, amounts: [createAmount("SOL", "-1000000000"), createAmount("BTC", "150000")] };
    const roundUp = { type: "round_up", usdValue: null, amounts: [createAmount("SOL", "2000000")] };
    expect(await sumItems([createItem("a", swap), createItem("b", roundUp)])).toBe(150_300_000n);
  });

  test("ignores junk tokens that strangers burn", async () => {
    const junk = { asset: null, mint: "junk", decimals: 0, amount: "-1000000", change: -1_000_000 };
    const items = [
      createItem("burned", { type: "withdrawal", networkFeeLamports: null, usdValue: 1_000_000, amounts: [junk] }),
      createItem("sent by its owner", { type: "withdrawal", networkFeeLamports: 5_000, usdValue: 40, amounts: [junk] }),
      createItem("SOL beside junk", {
        type: "withdrawal",
        networkFeeLamports: 5_000,
        usdValue: 40,
        amounts: [createAmount("SOL", "-1000000000"), junk],
      }),
    ];
    expect(await sumItems(items)).toBe(150_000_000n);
  });

  test("uses the recorded value if today's price is missing", async () => {
    const amounts = [{ asset: "ETH", ...ASSETS.ETH, amount: "-100000000", change: -1 }];
    expect(await sumItems([createItem("a", { networkFeeLamports: 5_000, usdValue: 40, amounts })])).toBe(40_000_000n);
  });

  test("counts at least today's price if the service understates a value", async () => {
    const amounts = [createAmount("SOL", "-1000000000")];
    expect(
      await sumItems([createItem("a", { type: "withdrawal", networkFeeLamports: 5_000, usdValue: 1, amounts })]),
    ).toBe(150_000_000n);
  });

  test("counts each sent action once, whether it has landed or not", async () => {
    const ledger = openLedger(memoryStorage(), "wallet", () => NOW);
    for (const id of ["landed", "may land", "refused"]) await ledger.add(id, 5_000_000n);
    await ledger.recordOutcome("landed", ["a"]);
    await ledger.recordOutcome("refused", []);
    expect(await sumItems([createItem("a"), createItem("b")], ledger)).toBe(11_000_000n);
    expect(await sumItems([], ledger)).toBe(10_000_000n);
  });
});
