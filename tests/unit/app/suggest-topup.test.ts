import fc from "fast-check";
import { expect, test } from "vitest";
import { suggestTopupUsd } from "@/app/dashboard/_saving/topup/suggest-topup";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";

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
