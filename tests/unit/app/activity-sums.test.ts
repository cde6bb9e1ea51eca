import fc from "fast-check";
import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import type { Portfolio } from "@/app/_client/queries/queries";
import { computeGainUsd, roundSavings, sumHistory } from "@/app/dashboard/_components/activity-sums";
import { lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { toShownCents } from "@/lib/domain/shown-sum";

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

test("a service fee counts also when its price is no longer stored", () => {
  const saving = {
    ...{ type: "round_up", status: "confirmed", tokenAccountDepositLamports: 0, networkFeeLamports: null },
    ...{ usdValue: 7.48125, serviceFeeLamports: 125_000, amounts: [{ symbol: "SOL", change: 0.049875 }] },
  } as unknown as ActivityItem;
  for (const priceUsd of [150, null]) expect(sumHistory([{ ...saving, priceUsd }]).feesUsd).toBeCloseTo(0.01875, 9);
  expect(sumHistory([{ ...saving, priceUsd: null, usdValue: null }])).toMatchObject({ feesUsd: 0, unknownCount: 1 });
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
    // A deposit worth $0.005 to $0.01, which is rare at random.
    { examples: [[[], 33_400]] },
  );
});
