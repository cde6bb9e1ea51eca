import type { Portfolio } from "@/app/_client/queries/queries";
import { formatUsd } from "@/app/_components/money";
import type { Allocation } from "@/lib/domain/allocations";
import { DEFAULT_ASSET, type PayAsset } from "@/lib/domain/assets";
import { ceilToCents, lamportsToUsd, roundToCents, solToLamports } from "@/lib/domain/money";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";
import type { SwapBuild } from "@/lib/sdk/flow/invest";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";
import { computeHighestRent } from "@/lib/solana/rent";
import { TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";

/** The SOL or USDC of the savings wallet, which waits to be invested. */
export interface PendingBalance
  extends Pick<Portfolio, "pendingUsd" | "pendingLamports" | "investableLamports" | "solPriceUsd"> {
  /** Lamports that the chosen investment does not swap. Defaults to those of a first coin. */
  costsLamports?: number;
  /** US dollars of the USDC that pays. Absent if SOL pays. */
  usdcUsd?: number;
}

/** Predicts POST /api/swap/build: the whole balance must reach the threshold, and something must be left to swap. */
export interface Readiness {
  isReady: boolean;
  /** USD that must still arrive in SOL, without a top-up's fee and not rounded; 0 when no SOL is missing. */
  missingUsd: number;
  /** USD that must still arrive in USDC; 0 unless USDC pays. */
  missingUsdcUsd: number;
  /** Displayed USD saved so far: `minimumUsd` less what is missing, rounded up to the cent. */
  savedUsd: number;
  /** USD from which investing begins, rounded up to the cent: the threshold, or the costs where they are higher. */
  minimumUsd: number;
  /** Whether the threshold is reached and only costs prevent investing. */
  lacksOnlyCosts: boolean;
}

/** The most that Solana keeps for a token account: its rent-exempt minimum at the highest rate, 2,039,280 lamports. */
export const TOKEN_ACCOUNT_DEPOSIT_LAMPORTS = Number(computeHighestRent(BigInt(TOKEN_ACCOUNT_BYTES)));

/** The most that Solana keeps for the wallet itself: 890,880 lamports. */
const WALLET_RENT_LAMPORTS = Number(computeHighestRent(0n));
/** The most that Solana keeps for the wallet and for a temporary account of a swap of SOL. */
const RESERVE_LAMPORTS = WALLET_RENT_LAMPORTS + TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;
/** Estimate of the network fee of one swap at the highest priority, for a page that has no figure of the service yet. */
const MAX_FEE_LAMPORTS = Number(ESTIMATED_FEE_LAMPORTS + MAX_PRIORITY_FEE_LAMPORTS);

/** Lamports that a wallet keeps when it buys its first coin. */
export const FIRST_COIN_COSTS_LAMPORTS = RESERVE_LAMPORTS + TOKEN_ACCOUNT_DEPOSIT_LAMPORTS + MAX_FEE_LAMPORTS;

/**
 * Adjusts the investable amount, which the service states for the default asset, to the chosen coins. Each coin pays its
 * own fee, and a coin that the wallet does not hold yet needs a deposit. An open but empty account counts as missing,
 * except that of the default asset.
 */
export function applyInvestChoice(
  portfolio: Portfolio,
  allocations: readonly Allocation[],
  payWith: PayAsset = "SOL",
): Portfolio & PendingBalance {
  const { balances, pendingLamports, investableLamports, solPriceUsd } = portfolio;
  if (investableLamports === null || solPriceUsd === null) return portfolio;
  const isHeld = (asset: string) => balances.some((balance) => balance.asset === asset);
  // What the service keeps for the default asset: the fee, and the deposit unless the coin's account is open.
  const keptLamports = investableLamports > 0 ? pendingLamports - investableLamports - RESERVE_LAMPORTS : null;
  // Solana's minimums are not as assumed here, so keep the service's figure.
  if (keptLamports !== null && keptLamports < 0) return portfolio;
  const isDefaultAccountOpen =
    keptLamports === null ? isHeld(DEFAULT_ASSET) : keptLamports < TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;
  const feeLamports = keptLamports === null ? MAX_FEE_LAMPORTS : keptLamports % TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;
  const boughtAssets = allocations.flatMap(({ asset }) => (asset === payWith ? [] : [asset]));
  const assetsWithoutAccount = boughtAssets.filter(
    (asset) => asset !== "SOL" && !(asset === DEFAULT_ASSET ? isDefaultAccountOpen : isHeld(asset)),
  );
  const depositLamports = assetsWithoutAccount.length * TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;
  if (payWith === "USDC") {
    const reserveLamports = boughtAssets.includes("SOL") ? TOKEN_ACCOUNT_DEPOSIT_LAMPORTS : WALLET_RENT_LAMPORTS;
    const costsLamports = reserveLamports + depositLamports + boughtAssets.length * feeLamports;
    const usdcUsd = computeUsdcUsd(portfolio);
    return { ...portfolio, costsLamports, usdcUsd, investableLamports: 0, investableUsd: usdcUsd };
  }
  const costsLamports = RESERVE_LAMPORTS + depositLamports + boughtAssets.length * feeLamports;
  const swappedLamports = Math.max(0, pendingLamports - costsLamports);
  return {
    ...portfolio,
    costsLamports,
    investableLamports: swappedLamports,
    investableUsd: lamportsToUsd(swappedLamports, solPriceUsd),
  };
}

/**
 * Returns whether the investment opens a coin's account, whose deposit then stays in the wallet. An open but empty account
 * counts as missing. The kept amount cannot tell, because Solana's minimums can be lower than the bounds here.
 */
export const opensCoinAccount = (
  { balances }: Pick<Portfolio, "balances">,
  allocations: readonly Allocation[],
): boolean => allocations.some(({ asset }) => asset !== "SOL" && !balances.some((balance) => balance.asset === asset));

/** Returns the balance as it will be once `lamports` have arrived. `investableUsd` stays as it is. */
export function addLamports<P extends PendingBalance>(pending: P, lamports: number): P {
  const { pendingLamports, investableLamports, solPriceUsd, usdcUsd } = pending;
  if (investableLamports === null || solPriceUsd === null) return pending;
  if (usdcUsd !== undefined) return { ...pending, pendingLamports: pendingLamports + lamports };
  const keptLamports =
    pending.costsLamports ??
    (investableLamports > 0 ? pendingLamports - investableLamports : FIRST_COIN_COSTS_LAMPORTS);
  const newLamports = pendingLamports + lamports;
  return {
    ...pending,
    pendingLamports: newLamports,
    pendingUsd: lamportsToUsd(newLamports, solPriceUsd),
    investableLamports: Math.max(0, newLamports - keptLamports),
  };
}

/** Returns the USD to add so that `missingUsd` arrive after a top-up's fee, rounded up to at least a cent. */
export const addTopupFee = (missingUsd: number): number =>
  Math.max(0.01, ceilToCents(missingUsd / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100)));

export const formatMissingUsdc = (missingUsd: number): string =>
  `${formatUsd(ceilToCents(missingUsd))} more in USDC and you can invest`;

/** Says what is missing until the person can invest: USDC if USDC pays, otherwise SOL. */
export const formatShortage = ({ missingUsd, missingUsdcUsd }: Pick<Readiness, "missingUsd" | "missingUsdcUsd">) =>
  missingUsdcUsd > 0 ? formatMissingUsdc(missingUsdcUsd) : formatMissing(missingUsd);

/** Says how much to add so that `missingUsd` arrive after a top-up's fee. */
export const formatMissing = (missingUsd: number): string =>
  `${formatUsd(addTopupFee(missingUsd))} more (fee included) and you can invest`;

/** Returns the readiness, or null while a price or an amount is unknown. */
export function computeReadiness(pending: PendingBalance, thresholdUsd: number): Readiness | null {
  const {
    pendingUsd,
    pendingLamports,
    investableLamports,
    solPriceUsd,
    costsLamports = FIRST_COIN_COSTS_LAMPORTS,
    usdcUsd,
  } = pending;
  if (pendingUsd === null || investableLamports === null || solPriceUsd === null) return null;
  const isUsdc = usdcUsd !== undefined;
  const balanceUsd = usdcUsd ?? pendingUsd;
  const thresholdGapUsd = Math.max(0, thresholdUsd - balanceUsd);
  // If SOL pays, one lamport more than the costs must be there, so that something is left to swap. If USDC pays, any SOL
  // may suffice, because Solana's minimums can be lower than assumed here. The build says what is missing.
  const missingCostsLamports = Math.max(costsLamports - pendingLamports + 1, 1);
  const isCostCovered = isUsdc ? pendingLamports > 0 : investableLamports > 0;
  const costsGapUsd = isCostCovered ? 0 : lamportsToUsd(missingCostsLamports, solPriceUsd);
  const missingUsdcUsd = isUsdc ? thresholdGapUsd : 0;
  const missingUsd = isUsdc ? costsGapUsd : Math.max(thresholdGapUsd, costsGapUsd);
  const totalMissingUsd = missingUsd + missingUsdcUsd;
  const minimumUsd = ceilToCents(totalMissingUsd === 0 ? thresholdUsd : balanceUsd + totalMissingUsd);
  return {
    isReady: totalMissingUsd === 0,
    missingUsd,
    missingUsdcUsd,
    minimumUsd,
    savedUsd: Math.max(0, roundToCents(minimumUsd - ceilToCents(totalMissingUsd))),
    lacksOnlyCosts: thresholdGapUsd === 0 && costsGapUsd > 0,
  };
}

/**
 * Returns what a refused investment lacks. The service's figure counts until the balance changes, for example by a
 * top-up. After that, the shortage is predicted.
 * @param portfolio undefined while it loads
 */
export function computeCurrentShortage(
  build: Pick<SwapBuild, "neededUsd" | "remaining" | "balanceSol" | "threshold">,
  portfolio: PendingBalance | undefined,
): Pick<Readiness, "missingUsd" | "lacksOnlyCosts"> {
  const statedShortage = { missingUsd: build.neededUsd, lacksOnlyCosts: build.remaining === 0 };
  if (!portfolio || solToLamports(build.balanceSol) === BigInt(portfolio.pendingLamports)) return statedShortage;
  return computeReadiness(portfolio, build.threshold) ?? statedShortage;
}
