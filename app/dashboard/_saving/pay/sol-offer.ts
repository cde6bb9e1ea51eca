import { FIRST_COIN_COSTS_LAMPORTS, TOKEN_ACCOUNT_DEPOSIT_LAMPORTS } from "@/app/dashboard/_components/readiness";
import { lamportsToUsd } from "@/lib/domain/money";

/** A wallet with less may soon be unable to sell USDC for SOL: the sale opens a token account for a moment. */
export const LOW_SOL_LAMPORTS = 2 * TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;

/**
 * Returns for how many whole dollars of USDC to offer SOL, so that it pays for a first coin. Null while the price of SOL
 * is unknown.
 */
export const computeSolOfferUsd = (solPriceUsd: number | null): number | null =>
  solPriceUsd === null ? null : Math.ceil(lamportsToUsd(FIRST_COIN_COSTS_LAMPORTS, solPriceUsd));
