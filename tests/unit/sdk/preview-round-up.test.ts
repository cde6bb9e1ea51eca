import fc from "fast-check";
import { expect, test } from "vitest";
import { previewRoundUp } from "@/lib/sdk/preview-round-up";
import { fromMicroUsd, toMicroUsd } from "../../../lib/domain/money";
import { roundUp, splitFee, toRoundUpTerms } from "../../../lib/domain/round-up";

test("the SDK previews the figures that the service computes", () => {
  const inputs = fc.record({
    purchaseUsd: fc.integer({ min: 0, max: 100_000_000 }).map((cents) => cents / 100),
    choice: fc.constantFrom("seed", "sprout", "tree", "forest", "custom" as const),
    incrementUsd: fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100),
    ceilingUsd: fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100),
  });
  fc.assert(
    fc.property(inputs, ({ purchaseUsd, choice, incrementUsd, ceilingUsd }) => {
      const terms = toRoundUpTerms({
        ceiling: ceilingUsd,
        ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }),
      });
      const change = roundUp(toMicroUsd(purchaseUsd), terms);
      const { fee, investment } = splitFee(change.microUsd, terms.feeBps);
      const figures = previewRoundUp(purchaseUsd, { choice, incrementUsd, ceilingUsd });
      expect(figures).toMatchObject({
        roundUpUsd: fromMicroUsd(change.microUsd),
        feeUsd: fromMicroUsd(fee),
        investedUsd: fromMicroUsd(investment),
        skipped: change.skipped,
        capped: change.capped,
      });
    }),
  );
});
