import type { SystemMovement } from "../solana/system-instructions";
import { applyBps } from "./money";
import { MINIMUM_FEE_BPS } from "./plans";

/**
 * Returns whether deposits into service wallets carry the service fee. POST /api/swap/execute refuses a transaction
 * whose deposits do not carry the fee.
 *
 * The fee is the sum over the service wallets of floor(0.25 % × max(0, deposit − rentMinimumLamports)). The transaction
 * must transfer at least the fee to collectors. A transfer to a collector must exist even when the fee is 0. A service
 * wallet's transfer to itself is not a deposit.
 * @param rentMinimumLamports rent-exempt minimum of an empty account. This part of a deposit activates the wallet, so it
 * is free of charge
 */
export function carriesFee(
  movements: SystemMovement[],
  isServiceWallet: (address: string) => boolean,
  isCollector: (address: string) => boolean,
  rentMinimumLamports: bigint,
): boolean {
  const depositsByWallet = new Map<string, bigint>();
  for (const { from, to, lamports } of movements) {
    if (from !== to && isServiceWallet(to)) depositsByWallet.set(to, (depositsByWallet.get(to) ?? 0n) + lamports);
  }
  if (depositsByWallet.size === 0) return true;
  let dueFeeLamports = 0n;
  for (const deposit of depositsByWallet.values())
    dueFeeLamports += deposit > rentMinimumLamports ? applyBps(deposit - rentMinimumLamports, MINIMUM_FEE_BPS) : 0n;
  const feePayments = movements.filter(({ to }) => isCollector(to));
  return feePayments.length > 0 && feePayments.reduce((sum, { lamports }) => sum + lamports, 0n) >= dueFeeLamports;
}
