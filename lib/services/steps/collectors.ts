import type { AccountState } from "../../domain/holdings";
import { AppError } from "../../errors";
import type { Deps } from "../../ports/deps";

const RETRY_AFTER_SECONDS = 60;

/** A transfer to an account under the rent-exempt minimum that leaves it there fails the whole transaction. */
const isFunded = (account: AccountState | null | undefined, rentMin: bigint) => (account?.lamports ?? 0n) >= rentMin;

/**
 * The first collector that can take a fee of any size.
 * @param accounts of the collectors, in their order
 * @throws AppError service_not_ready when none can
 */
export function fundedCollector(
  collectors: readonly string[],
  accounts: (AccountState | null)[],
  rentMin: bigint,
): string {
  const funded = collectors.find((_, i) => isFunded(accounts[i], rentMin));
  if (funded !== undefined) return funded;
  const message = "No account that takes the service fee is funded, so nothing can be saved right now.";
  throw new AppError("service_not_ready", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** The collectors' accounts, and how many of them can take a fee. */
export async function readCollectors({ rpc, feeCollectors }: Deps) {
  const [accounts, rentMin] = await Promise.all([rpc.accounts([...feeCollectors]), rpc.rentExemptMinimum(0)]);
  return { accounts, funded: accounts.filter((account) => isFunded(account, rentMin)).length };
}
