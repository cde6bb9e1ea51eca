import type { TransactionFigures } from "../../../domain/activity";
import { payeesOf } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { knownServiceWallets } from "../service-wallets";

/** Addresses asked for at a time. */
const PER_CALL = 500;

/** Tells a service wallet, the caller's or one that this service derived, among those whom transactions pay. */
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
