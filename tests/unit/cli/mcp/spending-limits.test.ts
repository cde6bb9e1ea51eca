import { describe, expect, test } from "vitest";
import { computeAmountsMicroUsd, type LimitOverview, readPeriodTotals } from "@/lib/cli/mcp/spending-limits";
import { openLedger } from "@/lib/cli/state/ledger";
import type { Session } from "@/lib/cli/state/session";
import { ASSETS, type AssetSymbol, OTHER_DOLLARS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/time";
import { createMemoryStorage } from "@/lib/sdk/platform";

const NOW = 10 * DAY_MS;
const OVERVIEW = {
  prices: { prices: { SOL: 150, BTC: 100_000 } },
  confirmedPrices: {},
  portfolio: null,
  savings: {
    balances: [
      { mint: "priced", priceUsd: 2, unpriced: null },
      { mint: "worthless", priceUsd: null, unpriced: "none" },
      { mint: "unread", priceUsd: null, unpriced: "unknown" },
    ],
  },
} as unknown as LimitOverview;
const createToken = (mint: string) => ({ asset: null, mint, amount: 5_000n, decimals: 3 });
const createCoinAmount = (asset: AssetSymbol, amount: bigint) => ({ asset, ...ASSETS[asset], amount });

describe("the value of an amount", () => {
  test.each(["priced", "worthless", "unread"])("counts an unknown token that is %s as zero", (mint) => {
    const amounts = [createCoinAmount("BTC", 1_000n), createToken(mint)];
    for (const overview of [OVERVIEW, { ...OVERVIEW, savings: null }])
      expect(computeAmountsMicroUsd(amounts, overview)).toBe(1_000_000n);
  });

  test.each(Object.keys(OTHER_DOLLARS) as (keyof typeof OTHER_DOLLARS)[])("counts %s as dollars", (symbol) => {
    const amount = { asset: null, ...OTHER_DOLLARS[symbol], amount: 2_500_000n };
    expect(computeAmountsMicroUsd([amount], { ...OVERVIEW, savings: null })).toBe(2_500_000n);
  });

  test.each<[string, Parameters<typeof computeAmountsMicroUsd>]>([
    ["missing prices", [[createCoinAmount("SOL", 1n)], { ...OVERVIEW, prices: null }]],
    ["an asset without a price", [[createCoinAmount("ETH", 1n)], OVERVIEW]],
  ])("is an error instead of zero for %s", (_caseName, [amounts, overview]) => {
    expect(() => computeAmountsMicroUsd(amounts, overview)).toThrow("cannot be computed");
  });
});

test.each([
  ["the service's price", 160, 150, 160_000_000n],
  ["the client's confirmed price if the service reports less", 0.0001, 150, 150_000_000n],
  ["the lowest plausible price if there is no confirmed price", 0.0001, undefined, 10_000_000n],
])("SOL is valued at %s", (_caseName, servicePriceUsd, confirmedUsd, expected) => {
  const prices = { prices: { prices: { SOL: servicePriceUsd } }, confirmedPrices: { SOL: confirmedUsd } };
  const overview = { ...OVERVIEW, ...prices } as unknown as LimitOverview;
  expect(computeAmountsMicroUsd([createCoinAmount("SOL", 1_000_000_000n)], overview)).toBe(expected);
});

describe("the total of a period", () => {
  const createChange = (asset: AssetSymbol, change: number) => ({
    asset,
    ...ASSETS[asset],
    amount: `${change}`,
    change,
  });
  /** Creates a confirmed item that the service wallet signed. */
  const createItem = (type: "round_up" | "swap" | "withdrawal", usdValue: number | null, ...amounts: object[]) => ({
    txSignature: `${type} of ${usdValue}`,
    type,
    status: "confirmed",
    time: new Date(NOW).toISOString(),
    amounts,
    usdValue,
    networkFeeLamports: 5_000,
  });
  const sumItems = async (items: object[]) => {
    const roundup = { activity: async () => ({ items, nextBefore: null }), serviceWallet: async () => "service" };
    const session = { roundup, wallet: "wallet", storage: createMemoryStorage(), clock: { now: () => NOW } };
    const ledger = openLedger(session as unknown as Session);
    const { day, month } = await readPeriodTotals({ perMonthMicroUsd: 1n }, ledger, OVERVIEW);
    expect(month).toBe(day);
    return day;
  };

  test("values an item without the service's figure at today's price", async () => {
    const swap = createItem("swap", null, createChange("SOL", -1_000_000_000), createChange("BTC", 150_000));
    const roundUp = createItem("round_up", null, createChange("SOL", 2_000_000));
    expect(await sumItems([swap, roundUp])).toBe(150_300_000n);
  });

  test("ignores tokens without a price that strangers burn or the owner sends", async () => {
    const junk = { asset: null, mint: "junk", decimals: 0, amount: "-1000000", change: -1_000_000 };
    const burnedByStranger = { ...createItem("withdrawal", 1_000_000, junk), networkFeeLamports: null };
    const sentByOwner = createItem("withdrawal", 40, junk);
    const solBesideJunk = createItem("withdrawal", 41, createChange("SOL", -1_000_000_000), junk);
    expect(await sumItems([burnedByStranger, sentByOwner, solBesideJunk])).toBe(150_000_000n);
  });

  test("counts dollars that are no assets, as when they are withdrawn", async () => {
    const { mint, decimals } = OTHER_DOLLARS.PYUSD;
    const dollars = { asset: null, mint, decimals, amount: "-7000000", change: -7 };
    expect(await sumItems([createItem("withdrawal", 6.99, dollars)])).toBe(7_000_000n);
  });

  test("uses the recorded value if today's price is missing", async () => {
    expect(await sumItems([createItem("swap", 40, createChange("ETH", -100_000_000))])).toBe(40_000_000n);
  });

  test("counts at least today's price if the service understates a value", async () => {
    expect(await sumItems([createItem("withdrawal", 1, createChange("SOL", -1_000_000_000))])).toBe(150_000_000n);
  });
});
