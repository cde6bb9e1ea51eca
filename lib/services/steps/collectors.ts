import type { AccountState } from "../../domain/chain-accounts";
import { deriveUsdcAccount, isUsdcAccountOf } from "../../domain/dollar-accounts";
import { AppError } from "../../errors";
import type { Deps } from "../../ports/deps";

const RETRY_AFTER_SECONDS = 60;

/** Returns whether an account can take any fee. A transfer that leaves it under the rent-exempt minimum fails. */
const isFunded = (account: AccountState | null | undefined, rentLamports: bigint) =>
  (account?.lamports ?? 0n) >= rentLamports;

/**
 * Returns the first collector that can take a fee of any size.
 * @param accounts the collectors' accounts, in the order of `collectors`
 * @param rentLamports rent-exempt minimum of an empty account, lamports
 * @throws AppError service_not_ready when no collector is funded
 */
export function requireFundedCollector(
  collectors: readonly string[],
  accounts: (AccountState | null)[],
  rentLamports: bigint,
): string {
  const fundedCollector = collectors.find((_, i) => isFunded(accounts[i], rentLamports));
  if (fundedCollector !== undefined) return fundedCollector;
  const message = "No account that takes the service fee is funded, so nothing can be saved right now.";
  throw new AppError("service_not_ready", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Returns the first collector whose USDC account can take a fee.
 * @param usdcAccounts the collectors' associated USDC accounts (`deriveUsdcAccount`), in the order of `collectors`
 * @throws AppError service_not_ready when no collector can take USDC
 */
export function requireUsdcCollector(collectors: readonly string[], usdcAccounts: (AccountState | null)[]): string {
  const usdcCollector = collectors.find((collector, i) => isUsdcAccountOf(collector, usdcAccounts[i]));
  if (usdcCollector !== undefined) return usdcCollector;
  const message = "No account that takes the service fee can take USDC, so nothing can be saved in USDC right now.";
  throw new AppError("service_not_ready", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Reads the collectors' accounts, in their order, and counts those that can take a fee in SOL and in USDC. */
export async function readCollectors({ rpc, feeCollectors }: Deps) {
  const addresses = [...feeCollectors, ...feeCollectors.map(deriveUsdcAccount)];
  const [states, rentLamports] = await Promise.all([rpc.readAccounts(addresses), rpc.readRentExemptMinimum(0)]);
  const accounts = states.slice(0, feeCollectors.length);
  const usdcAccounts = states.slice(feeCollectors.length);
  return {
    accounts,
    fundedCount: accounts.filter((account) => isFunded(account, rentLamports)).length,
    usdcCount: feeCollectors.filter((collector, i) => isUsdcAccountOf(collector, usdcAccounts[i])).length,
  };
}
