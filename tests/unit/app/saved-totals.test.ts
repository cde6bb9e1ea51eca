import fc from "fast-check";
import { expect, test } from "vitest";
import { roundWrap, sumSavings } from "@/app/dashboard/_saving/wrap/saved-totals";
import { lamportsToUsd } from "@/lib/domain/money";
import { toShownCents } from "@/lib/domain/shown-sum";
import type { WrapBreakdown } from "@/lib/sdk/flow/wraps";

const createBreakdown = (savedLamports: number, feeLamports: number, fields: Partial<WrapBreakdown> = {}) =>
  ({
    userInvestmentLamports: savedLamports,
    serviceFeeLamports: feeLamports,
    activationLamports: 0,
    networkFeeLamports: 5_000,
    ...{ userInvestmentUnits: 0, serviceFeeUnits: 0, tokenAccountDepositLamports: 0 },
    solPriceUsd: 100,
    ...fields,
  }) as WrapBreakdown;

test("a saving and its deposit arrive together, and under a cent they add nothing to the total", () => {
  const tinyBreakdown = createBreakdown(41_000, 15_000, { activationLamports: 39_000 });
  expect(roundWrap(tinyBreakdown)).toMatchObject({ arrivedUsd: 0.008, feesUsd: 0.01, totalUsd: 0.01 });
});

test("the receipt shows the amounts of the review", () => {
  const firstBreakdown = createBreakdown(49_875_000, 125_000);
  const secondBreakdown = createBreakdown(500_000, 1_000, { activationLamports: 390_880 });
  const reviews = [roundWrap(firstBreakdown)!, roundWrap(secondBreakdown)!];
  const addCents = (...usd: number[]) => usd.reduce((sum, amountUsd) => sum + Math.round(amountUsd * 100), 0) / 100;
  expect(sumSavings([{ breakdown: firstBreakdown }, { breakdown: secondBreakdown }])).toEqual({
    arrivedLamports: 50_765_880,
    ...{ arrivedUnits: 0, accountDepositLamports: 0 },
    depositLamports: 890_880,
    arrivedUsd: addCents(...reviews.map(({ arrivedUsd }) => arrivedUsd)),
    feesUsd: addCents(...reviews.map(({ feesUsd }) => feesUsd)),
    paidUsd: addCents(...reviews.map(({ totalUsd }) => totalUsd)),
  });
});

test("every row of a review adds up to its total, and neither the fees nor the total are shown too low", () => {
  const createLamportsArbitrary = (max: number) => fc.integer({ min: 0, max });
  const breakdowns = fc.record({
    userInvestmentLamports: createLamportsArbitrary(2_000_000_000),
    activationLamports: createLamportsArbitrary(890_880),
    serviceFeeLamports: createLamportsArbitrary(15_000_000),
    networkFeeLamports: createLamportsArbitrary(105_000),
    userInvestmentUnits: createLamportsArbitrary(10_000_000),
    serviceFeeUnits: createLamportsArbitrary(100_000),
    tokenAccountDepositLamports: createLamportsArbitrary(2_039_280),
    solPriceUsd: fc.integer({ min: 1, max: 1_000_000_000 }).map((microUsd) => microUsd / 1e6),
  });
  fc.assert(
    fc.property(breakdowns, (fields) => {
      const breakdown = createBreakdown(0, 0, fields);
      const { arrivedUsd, depositUsd, feesUsd, serviceFeeUsd, networkFeeUsd, totalUsd } = roundWrap(breakdown)!;
      const addShownCents = (...usd: number[]) => usd.reduce((sum, amountUsd) => sum + toShownCents(amountUsd), 0);
      const totalCents = addShownCents(totalUsd);
      expect(addShownCents(arrivedUsd, depositUsd, feesUsd)).toBe(totalCents);
      expect(addShownCents(arrivedUsd, depositUsd, serviceFeeUsd, networkFeeUsd)).toBe(totalCents);
      const exactFeesLamports = fields.serviceFeeLamports + fields.networkFeeLamports;
      const otherLamports =
        fields.userInvestmentLamports + fields.activationLamports + fields.tokenAccountDepositLamports;
      const expectNotLower = (shownUsd: number, exactLamports: number, exactUnits: number) =>
        expect(shownUsd).toBeGreaterThanOrEqual(
          lamportsToUsd(exactLamports, fields.solPriceUsd) + exactUnits / 1e6 - 1e-6,
        );
      expectNotLower(feesUsd, exactFeesLamports, fields.serviceFeeUnits);
      expectNotLower(totalUsd, otherLamports + exactFeesLamports, fields.userInvestmentUnits + fields.serviceFeeUnits);
    }),
  );
});
