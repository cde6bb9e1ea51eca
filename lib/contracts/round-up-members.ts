import { z } from "zod";
import { CeilingUsd, Lamports, Multiplier, PlanTier, RoundToUsd, Sol, Usd } from "./scalars";

/** Request fields that control rounding. */
export const roundUpTermsFields = {
  plan: PlanTier.optional(),
  roundToUsd: RoundToUsd.optional(),
  ceiling: CeilingUsd.optional(),
  multiplier: Multiplier.optional(),
};

/**
 * Members of a round-up, for POST /api/roundup and the breakdown of POST /api/wrap. The breakdown always has lamports.
 */
export const roundUpMembers = {
  txValueUsd: Usd,
  plan: PlanTier.nullable(),
  roundToUsd: Usd,
  ceilingUsd: Usd,
  multiplier: z.int(),
  roundedToUsd: Usd,
  roundUpUsd: Usd,
  roundUpSol: Sol.nullable(),
  serviceFeePercent: z.number(),
  serviceFeeUsd: Usd,
  serviceFeeSol: Sol.nullable(),
  userInvestmentUsd: Usd,
  userInvestmentSol: Sol.nullable(),
  roundUpLamports: Lamports.nullable(),
  serviceFeeLamports: Lamports.nullable(),
  userInvestmentLamports: Lamports.nullable(),
  solPriceUsd: Usd.nullable(),
  skipped: z.boolean(),
  capped: z.boolean(),
};
