import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import type { AccountState } from "../../../domain/chain-accounts";
import { clampToZero, fromMicroUsd, pickLarger, toMicroUsd } from "../../../domain/money";
import type { Deps } from "../../../ports/deps";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../solana/programs";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../../solana/token-instructions";
import { readTypicalSwapFee } from "../budget";

/**
 * What a wallet holds and needs for its swaps. If SOL is sold, deposits, reserve, fees and the swappable amount add up
 * to `balanceLamports`, unless the balance is too small.
 */
export interface SwapBudget {
  balanceLamports: bigint;
  /** Base units of the sold asset. */
  heldAmount: bigint;
  /** Rent of the token accounts that must still be opened. */
  depositLamports: bigint;
  /** The token accounts of the bought assets that are open already. */
  openAccounts: string[];
  /** SOL that the wallet must hold besides fees and deposits, and keeps: its own rent and that of temporary accounts. */
  reserveLamports: bigint;
  /** The usual network fees without a priority fee. */
  typicalFeeLamports: bigint;
  /** Upper limit of the network fees. */
  maxFeeLamports: bigint;
  /** Base units of the sold asset that can be swapped, at least 0. */
  swappableAmount: bigint;
}

/**
 * Reads how much of an asset a wallet can swap into these assets now, with one transaction for each.
 * @param options.waitsForBatch joins this read with those of other requests, see SolanaRpc
 */
export async function readSwapBudget(
  deps: Deps,
  wallet: string,
  soldAsset: AssetSymbol,
  boughtAssets: readonly AssetSymbol[],
  options?: { waitsForBatch: boolean },
): Promise<SwapBudget> {
  const { rpc, maxPriorityFeeLamports } = deps;
  const deriveAccount = (asset: AssetSymbol) => deriveAssociatedTokenAddress(wallet, ASSETS[asset].mint);
  const soldAccounts = soldAsset === "SOL" ? [] : [deriveAccount(soldAsset)];
  const tokenAccounts = boughtAssets.map(deriveAccount);
  const [[account, ...others], walletRentLamports, tokenRentLamports, feeLamports] = await Promise.all([
    rpc.readAccounts([wallet, ...soldAccounts, ...tokenAccounts], options),
    rpc.readRentExemptMinimum(0),
    rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
    readTypicalSwapFee(deps, wallet),
  ]);
  const tokens = others.slice(soldAccounts.length);
  const balanceLamports = account?.lamports ?? 0n;
  const openAccounts = tokenAccounts.filter((_, i) => isOpen(tokens[i] ?? null));
  const sumDeposits = (isCounted: (asset: AssetSymbol) => boolean) =>
    boughtAssets.reduce(
      (sum, asset, i) => (isCounted(asset) ? sum + computeMissingDeposit(tokens[i] ?? null, tokenRentLamports) : sum),
      0n,
    );
  const depositLamports = sumDeposits((asset) => asset !== "SOL");
  // Jupiter wraps SOL in a temporary token account. Its rent is returned in the same transaction, but must be
  // available. When SOL is bought, it is returned before the runtime checks the wallet's own rent, so the wallet needs
  // only the larger of the two.
  const reserveLamports =
    soldAsset === "SOL"
      ? walletRentLamports + tokenRentLamports
      : pickLarger(
          walletRentLamports,
          sumDeposits((asset) => asset === "SOL"),
        );
  const typicalFeeLamports = BigInt(boughtAssets.length) * feeLamports;
  const maxFeeLamports = typicalFeeLamports + BigInt(boughtAssets.length) * maxPriorityFeeLamports;
  const costsLamports = reserveLamports + depositLamports + maxFeeLamports;
  const heldAmount = soldAsset === "SOL" ? balanceLamports : readHeldAmount(others[0] ?? null);
  const swappableAmount = soldAsset === "SOL" ? clampToZero(balanceLamports - costsLamports) : heldAmount;
  const costs = { depositLamports, reserveLamports, typicalFeeLamports, maxFeeLamports };
  return { balanceLamports, heldAmount, swappableAmount, openAccounts, ...costs };
}

/** Reads the base units that a token account holds; 0 if it is not open. */
export const readHeldAmount = (account: AccountState | null): bigint =>
  account?.owner === TOKEN_PROGRAM ? readTokenAmount(account.data) : 0n;

/** Computes the lamports still needed to open a token account. Anyone may have sent some to its address already. */
function computeMissingDeposit(account: AccountState | null, tokenRentLamports: bigint): bigint {
  return isOpen(account) ? 0n : clampToZero(tokenRentLamports - (account?.lamports ?? 0n));
}

/** Returns whether the account at the address of a token account is open. */
export const isOpen = (account: AccountState | null): boolean => account !== null && account.owner !== SYSTEM_PROGRAM;

/**
 * Compares a balance with a threshold in dollars.
 * @returns `remainingUsd`, the dollars missing to the threshold; 0 once it is reached
 */
export function compareWithThreshold(balanceMicroUsd: bigint, thresholdUsd: number) {
  // A threshold that rounds to 0 micro-dollars counts as 1, so that an empty wallet never reaches it.
  const thresholdMicroUsd = toMicroUsd(thresholdUsd) || 1n;
  const isReached = balanceMicroUsd >= thresholdMicroUsd;
  const remainingUsd = isReached ? 0 : fromMicroUsd(thresholdMicroUsd - balanceMicroUsd);
  return { isReached, thresholdMicroUsd, remainingUsd };
}
