import type { Portfolio } from "@/app/_client/queries/queries";
import { ceilToCents, lamportsToUsd, toCents } from "@/lib/domain/money";

export type PendingBalance = Pick<Portfolio, "pendingUsd" | "pendingLamports" | "investableLamports" | "solPriceUsd">;

/**
 * Predicts whether POST /api/swap/build would invest now. Applies the service's rule: the whole balance reaches the
 * threshold, and something is left to swap.
 */
export interface Readiness {
  ready: boolean;
  /** USD missing until then, rounded up to the cent; 0 when nothing is missing. */
  missingUsd: number;
  /** Displayed USD saved so far. With `missingUsd` it adds up to exactly `goalUsd`. */
  savedUsd: number;
  /** USD from which investing begins, rounded up to the cent: the threshold, or the costs where they are higher. */
  goalUsd: number;
  /** Whether the threshold is reached and only costs prevent investing. */
  costsOnly: boolean;
}

/** Rent-exempt minimum of a token account with 165 bytes. */
export const TOKEN_ACCOUNT_DEPOSIT_LAMPORTS = 2_039_280;

/**
 * Lamports that a wallet keeps when it buys its first coin: its own minimum (890,880), the minimums of the coin's
 * account and of a temporary account for the swap and fees. Source: rentExemptMinimum of 0 bytes.
 */
const MAX_COSTS_LAMPORTS = 890_880 + 2 * TOKEN_ACCOUNT_DEPOSIT_LAMPORTS + 105_000;

/** Returns the readiness, or null while no price is known. */
export function computeReadiness(pending: PendingBalance, thresholdUsd: number): Readiness | null {
  const { pendingUsd, pendingLamports, investableLamports, solPriceUsd } = pending;
  if (pendingUsd === null || investableLamports === null || solPriceUsd === null) return null;
  const toThreshold = Math.max(0, thresholdUsd - pendingUsd);
  const toCosts =
    investableLamports > 0 ? 0 : lamportsToUsd(Math.max(MAX_COSTS_LAMPORTS - pendingLamports, 1), solPriceUsd);
  const exactUsd = Math.max(toThreshold, toCosts);
  const missingUsd = exactUsd === 0 ? 0 : ceilToCents(exactUsd);
  const goalUsd = ceilToCents(exactUsd === 0 ? thresholdUsd : pendingUsd + exactUsd);
  return {
    ready: exactUsd === 0,
    missingUsd,
    goalUsd,
    savedUsd: Math.max(0, toCents(goalUsd - missingUsd)),
    costsOnly: toThreshold === 0 && toCosts > 0,
  };
}
