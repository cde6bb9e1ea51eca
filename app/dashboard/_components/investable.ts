import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { ceilToCents } from "@/lib/domain/money";
import type { AnswerOf } from "@/lib/sdk/calls/calls";

/** Whether POST /api/swap/build would invest now, by its own rule: the whole balance counts, and something must be left to swap. */
export interface Readiness {
  ready: boolean;
  /** USD that the balance lacks to the threshold, up to the cent; 0 when it is reached. */
  missingUsd: number;
}

/** @returns null while no price says what the balance is worth */
export function readiness(
  { pendingUsd, investableLamports }: Pick<AnswerOf<typeof getPortfolioContract>, "pendingUsd" | "investableLamports">,
  thresholdUsd: number,
): Readiness | null {
  if (pendingUsd === null || investableLamports === null) return null;
  const missingUsd = pendingUsd >= thresholdUsd ? 0 : ceilToCents(thresholdUsd - pendingUsd);
  return { ready: missingUsd === 0 && investableLamports > 0, missingUsd };
}
