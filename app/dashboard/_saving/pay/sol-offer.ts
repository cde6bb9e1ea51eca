import { lamportsToUsd } from "@/lib/domain/money";
import { computeHighestRent } from "@/lib/solana/rent";
import { TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";

const TOKEN_ACCOUNT_LAMPORTS = Number(computeHighestRent(BigInt(TOKEN_ACCOUNT_BYTES)));

/** What a new saver needs until the first investment: the savings wallet, two token accounts and some network fees. */
const START_LAMPORTS = 2 * TOKEN_ACCOUNT_LAMPORTS + Number(computeHighestRent(0n)) + 200_000;

/** A wallet with less may soon be unable to sell USDC for SOL: the sale opens a token account for a moment. */
export const LOW_SOL_LAMPORTS = 2 * TOKEN_ACCOUNT_LAMPORTS;

/** Returns for how many whole dollars of USDC to offer SOL; null while its price is unknown. */
export const computeSolOfferUsd = (solPriceUsd: number | null): number | null =>
  solPriceUsd === null ? null : Math.ceil(lamportsToUsd(START_LAMPORTS, solPriceUsd));
