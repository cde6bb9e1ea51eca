import type { TransactionFigures } from "../../../domain/activity";
import { payeesOf } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { knownServiceWallets } from "../service-wallets";

/*
 * The problem: a transfer into the wallet's own service wallet is a saving, not a payment. Rounding it up would save
 * from savings.
 * The invariant: no transfer into a known service wallet counts as a payment.
 * How it is kept: every payee is looked up among the service wallets that this service derived. The service wallet that
 * the caller names counts too.
 * Example: a wallet pays 5 USDC to a shop and 0.004 SOL into S. If the store knows S, only the 5 USDC are rounded up.
 */

/** Addresses in one store call. */
const PER_CALL = 500;

/**
 * Returns a predicate that recognizes service wallets among the payees of the given transactions.
 * @param serviceWallet the service wallet that the caller names; it counts even if it was not derived here
 */
export async function serviceWalletsAmong(
  deps: Deps,
  wallet: string,
  serviceWallet: string | undefined,
  figures: TransactionFigures[],
): Promise<(address: string) => boolean> {
  const payees = [...new Set(figures.flatMap((one) => payeesOf(one, wallet)))];
  const known = new Set(serviceWallet === undefined ? [] : [serviceWallet]);
  for (let at = 0; at < payees.length; at += PER_CALL) {
    for (const one of await knownServiceWallets(deps, payees.slice(at, at + PER_CALL))) known.add(one);
  }
  return (address) => known.has(address);
}
