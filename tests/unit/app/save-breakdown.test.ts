import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_TERMS, type TypedTerms } from "@/app/_client/local-storage/terms";
import { suggestTopupUsd } from "@/app/dashboard/_saving/topup/topup-choice";
import { roundWrap, sumSavings } from "@/app/dashboard/_saving/wrap/save-breakdown";
import { listOptions } from "@/app/dashboard/_saving/wrap/terms-fields";
import { lamportsToUsd } from "@/lib/domain/money";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";
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

test.each<[string, Partial<TypedTerms>, string, string]>([
  ["another plan's", {}, "50 %", "100 %"],
  ["its own", { choice: "step-5", ceiling: "5.00" }, "50 %", "100 %"],
  ["a lower one, typed after it was chosen,", { choice: "step-5", ceiling: "2.00" }, "20 %", "100 %"],
  ["a higher one, typed for the other step,", { choice: "step-10", ceiling: "7.00" }, "50 %", "70 %"],
])("a big step names the share that it saves with %s ceiling", (_caseName, changes, five, ten) => {
  // The next multiples are 15 and 20 dollars, so the change is 4.999 and 9.999.
  const options = new Map(listOptions({ ...DEFAULT_TERMS, ...changes }, [10.001]));
  expect([options.get("step-5"), options.get("step-10")]).toEqual([
    `Next $5.00, fee 0.25 %, saves ${five} of what you spent`,
    `Next $10.00, fee 0.25 %, saves ${ten} of what you spent`,
  ]);
});

test("a suggested top-up is whole dollars that cover the missing amount, the fee and a price change", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 9_000, noNaN: true }), (missingUsd) => {
      const usd = suggestTopupUsd(missingUsd);
      // At least 1 % is left for a price change.
      expect(usd * (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100)).toBeGreaterThanOrEqual(missingUsd * 1.01);
      expect(Number.isInteger(usd)).toBe(true);
      expect(usd - missingUsd).toBeLessThanOrEqual(Math.max(5, missingUsd * 0.03 + 1));
    }),
  );
});
