import type { Portfolio } from "@/app/_client/queries/queries";
import { FIRST_COIN_COSTS_LAMPORTS, TOKEN_ACCOUNT_DEPOSIT_LAMPORTS } from "@/app/dashboard/_components/readiness";
import { ASSETS } from "@/lib/domain/assets";
import { lamportsToUsd } from "@/lib/domain/money";

/** Returns the base units of USDC in a wallet. One is a micro-dollar while USDC is worth a dollar. */
export const readUsdcUnits = ({ balances }: Pick<Portfolio, "balances">): bigint =>
  BigInt(balances.find(({ mint }) => mint === ASSETS.USDC.mint)?.amount ?? 0);

/** A wallet with less may soon be unable to sell USDC for SOL: the sale opens a token account for a moment. */
export const LOW_SOL_LAMPORTS = 2 * TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;

/** Returns for how many whole dollars of USDC to offer SOL, so that it pays for a first coin. Null without a price. */
export const computeSolOfferUsd = (solPriceUsd: number | null): number | null =>
  solPriceUsd === null ? null : Math.ceil(lamportsToUsd(FIRST_COIN_COSTS_LAMPORTS, solPriceUsd));
