import fc from "fast-check";
import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import type { Portfolio } from "@/app/_client/queries/queries";
import {
  addDeposits,
  computeGainUsd,
  formatShare,
  roundFees,
  roundSavings,
  sumHistory,
  toShownUsd,
} from "@/app/dashboard/_components/activity-sums";
import { lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { toShownCents } from "@/lib/domain/shown-sum";

test("the page formats a change as a share of the contributions but never as 0 %", () => {
  expect(formatShare(4.05, 40)).toBe(" (10.1 %)");
  expect(formatShare(0.02, 40)).toBe(" (0.1 %)");
  expect(formatShare(0.01, 40)).toBe("");
});

test.each([
  [7.484, 7.485, 0, -0.01],
  [7.4849, 7.4751, 0, 0],
  [0.004, 7.485, 7.5, 0.01],
])(
  "the gain is computed from displayed cents: worth $%d, contributed $%d, withdrawn $%d",
  (worthUsd, contributedUsd, withdrawnUsd, gainUsd) => {
    expect(computeGainUsd(worthUsd, { ...sumHistory([]), contributedUsd, withdrawnUsd })).toBe(gainUsd);
  },
);

test("the contributed amount is the sum of the displayed rows", () => {
  const savedItem = {
    ...{ type: "round_up", status: "confirmed", amounts: [], tokenAccountDepositLamports: 0 },
    ...{ usdValue: 8.500533, serviceFeeLamports: 111_622, priceUsd: 190.86 },
  } as unknown as ActivityItem;
  const rows = [
    savedItem,
    { ...savedItem, usdValue: 4.984 },
    { ...savedItem, type: "deposit", usdValue: 0.004 } as ActivityItem,
  ];
  const shownUsd = rows.map(toShownUsd);
  expect(shownUsd).toEqual([8.5, 4.98, 0.004]);
  expect(sumHistory(rows).contributedUsd).toBe(13.484);
});

test("a service fee counts also when its price is no longer stored", () => {
  const saving = {
    ...{ type: "round_up", status: "confirmed", tokenAccountDepositLamports: 0, networkFeeLamports: null },
    ...{ usdValue: 7.48125, serviceFeeLamports: 125_000, amounts: [{ symbol: "SOL", change: 0.049875 }] },
  } as unknown as ActivityItem;
  for (const priceUsd of [150, null]) expect(sumHistory([{ ...saving, priceUsd }]).feesUsd).toBeCloseTo(0.01875, 9);
  expect(sumHistory([{ ...saving, priceUsd: null, usdValue: null }])).toMatchObject({ feesUsd: 0, unknownCount: 1 });
});

test("a receipt shows the fees of the review: rounded up once, as their sum", () => {
  const fees = { serviceFeeLamports: 124_000, networkFeeLamports: 5_000, priceUsd: 150 };
  expect(roundFees(fees)).toEqual({ serviceFeeUsd: 0.02, networkFeeUsd: 0.00075 });
  expect(roundFees({ ...fees, serviceFeeLamports: null })).toEqual({ serviceFeeUsd: 0, networkFeeUsd: 0.01 });
  expect(roundFees({ ...fees, priceUsd: null })).toBeNull();
  const smallFees = { ...fees, serviceFeeLamports: 1_000, networkFeeLamports: null };
  expect(roundFees(smallFees), "the review gives the cent to the network fee").toMatchObject({
    serviceFeeUsd: 0.00015,
  });
});

test("the page never values savings below zero when a partial history misses the deposits that came back", () => {
  const sums = { ...sumHistory([]), depositLamports: -4 * 2_039_280 };
  expect(addDeposits(0, sums, 150)).toBe(0);
  expect(addDeposits(10, { ...sums, depositLamports: 2_000_000 }, 150)).toBeCloseTo(10.3, 9);
});

test("the displayed balances and deposits add up to the displayed worth, and a coin without a price stays unknown", () => {
  const anyUsd = fc.integer({ min: 0, max: 100_000_000 }).map((microUsd) => microUsd / 1e6);
  // A partial history may have a refund without its deposit. The sum is then negative, and nothing is deducted.
  const anyLamports = fc.integer({ min: -20_000_000, max: 20_000_000 });
  fc.assert(
    fc.property(fc.array(fc.option(anyUsd)), anyLamports, (exactUsd, depositLamports) => {
      const totalUsd = roundToMicro(exactUsd.reduce<number>((sum, usd) => sum + (usd ?? 0), 0));
      const portfolio = { balances: exactUsd.map((usdValue) => ({ usdValue })), totalUsd, solPriceUsd: 150 };
      const { worthUsd, depositsUsd, valuesUsd } = roundSavings(portfolio as Portfolio, {
        ...sumHistory([]),
        depositLamports,
      });
      const shownCents = [...valuesUsd, depositsUsd].reduce<number>((sum, usd) => sum + toShownCents(usd ?? 0), 0);
      expect(shownCents).toBe(toShownCents(worthUsd!));
      expect(worthUsd).toBeCloseTo(totalUsd + lamportsToUsd(Math.max(0, depositLamports), 150), 1);
      expect(valuesUsd.map((usd) => usd === null)).toEqual(exactUsd.map((usd) => usd === null));
    }),
  );
});
