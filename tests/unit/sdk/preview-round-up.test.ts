import fc from "fast-check";
import { expect, test } from "vitest";
import { previewRoundUp } from "@/lib/sdk/preview-round-up";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { CEILING_USD_RANGE } from "../../../lib/domain/limits";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps } from "../../support/fakes/fake-deps";

test("the SDK previews the amounts that POST /api/roundup answers", async () => {
  const deps = createFakeDeps();
  const anyCents = fc.integer({ min: 1, max: 10_000 });
  const anyInput = fc.record({
    purchaseUsd: fc.integer({ min: 0, max: 100_000_000 }).map((cents) => cents / 100),
    choice: fc.constantFrom("seed", "sprout", "tree", "forest", "custom" as const),
    incrementUsd: anyCents.map((cents) => cents / 100),
    ceilingCents: anyCents,
    multiplier: fc.integer({ min: 1, max: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(anyInput, async ({ purchaseUsd, choice, incrementUsd, ceilingCents, multiplier }) => {
      const answer = await callService(calculateRoundUpContract, calculateRoundUp, deps, {
        txValueUsd: purchaseUsd,
        ceiling: Math.min((ceilingCents * multiplier) / 100, CEILING_USD_RANGE.max),
        multiplier,
        ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }),
      });
      const terms = { choice, incrementUsd, ceilingUsd: ceilingCents / 100, multiplier };
      expect(previewRoundUp(purchaseUsd, terms)).toEqual({
        roundedToUsd: answer.roundedToUsd,
        roundUpUsd: answer.roundUpUsd,
        feeUsd: answer.serviceFeeUsd,
        investedUsd: answer.userInvestmentUsd,
        feePercent: answer.serviceFeePercent,
        incrementUsd: answer.roundToUsd,
        skipped: answer.skipped,
        capped: answer.capped,
      });
    }),
  );
});
