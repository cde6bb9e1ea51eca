import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import type { AccountState } from "../../../domain/chain-accounts";
import { clampToZero } from "../../../domain/money";
import type { Deps } from "../../../ports/deps";
import { SYSTEM_PROGRAM } from "../../../solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../../solana/token-instructions";
import { readTypicalSwapFee } from "../budget";

/**
 * The division of a wallet's SOL before a swap. The other members add up to `balanceLamports`, unless the balance is too
 * small.
 */
export interface SwapBudget {
  balanceLamports: bigint;
  /** Rent of the token accounts that must still be opened. */
  depositLamports: bigint;
  /** The token accounts of the assets that are open already. */
  openAccounts: string[];
  /** Rent of the wallet itself and of the temporary wrapped-SOL account. */
  reserveLamports: bigint;
  /** Upper limit of the network fees. */
  maxFeeLamports: bigint;
  /** The remaining lamports that can be swapped, at least 0. */
  swappableLamports: bigint;
}

/**
 * Reads how much SOL a wallet can swap into these assets now, with one transaction for each asset.
 * @param options.waitsForBatch joins this read with those of other requests, see SolanaRpc
 */
export async function readSwapBudget(
  deps: Deps,
  wallet: string,
  assets: AssetSymbol[],
  options?: { waitsForBatch: boolean },
): Promise<SwapBudget> {
  const { rpc, maxPriorityFeeLamports } = deps;
  const tokenAccounts = assets.map((asset) => deriveAssociatedTokenAddress(wallet, ASSETS[asset].mint));
  const [[account, ...tokens], walletRentLamports, tokenRentLamports, feeLamports] = await Promise.all([
    rpc.readAccounts([wallet, ...tokenAccounts], options),
    rpc.readRentExemptMinimum(0),
    rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
    readTypicalSwapFee(deps, wallet),
  ]);
  const balanceLamports = account?.lamports ?? 0n;
  const openAccounts = tokenAccounts.filter((_, i) => isOpen(tokens[i] ?? null));
  const missingDeposits = tokens.map((token) => computeMissingDeposit(token ?? null, tokenRentLamports));
  const depositLamports = missingDeposits.reduce((sum, lamports) => sum + lamports, 0n);
  // Jupiter wraps SOL in a temporary token account. Its rent is returned in the same transaction, but must be
  // available.
  const reserveLamports = walletRentLamports + tokenRentLamports;
  const maxFeeLamports = BigInt(assets.length) * (feeLamports + maxPriorityFeeLamports);
  const swappableLamports = clampToZero(balanceLamports - reserveLamports - depositLamports - maxFeeLamports);
  return { balanceLamports, depositLamports, openAccounts, reserveLamports, maxFeeLamports, swappableLamports };
}

/** Computes the lamports still needed to open a token account. Anyone may have sent some to its address already. */
export function computeMissingDeposit(account: AccountState | null, tokenRentLamports: bigint): bigint {
  return isOpen(account) ? 0n : clampToZero(tokenRentLamports - (account?.lamports ?? 0n));
}

/** Returns whether the account at the address of a token account is open. */
export const isOpen = (account: AccountState | null): boolean => account !== null && account.owner !== SYSTEM_PROGRAM;
