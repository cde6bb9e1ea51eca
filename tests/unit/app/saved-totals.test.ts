import { expect, test } from "vitest";
import { sumSaved } from "@/app/dashboard/_saving/wrap/saved-totals";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";

const createRecord = (roundUpUsd: number, serviceFeeUsd: number, activationLamports = 0) =>
  ({
    breakdown: { roundUpUsd, serviceFeeUsd, activationLamports, userInvestmentLamports: 0, solPriceUsd: 100 },
  }) as WrapRecord;

test("rounds the received amount and the fee so that they add up to the amount paid", () => {
  expect(sumSaved([createRecord(9.5, 0.02375)])).toMatchObject({ usd: 9.47, feeUsd: 0.03, givenUsd: 9.5 });
});

test("adds the deposit of a new service wallet to the saved amount", () => {
  expect(sumSaved([createRecord(0.37, 0.000925, 10_000_000), createRecord(0.13, 0.000325)])).toMatchObject({
    usd: 1.5,
    feeUsd: 0.00125,
    depositLamports: 10_000_000,
  });
});
