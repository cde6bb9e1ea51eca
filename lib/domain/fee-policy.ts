import type { SystemMovement } from "../solana/system-instructions";
import { applyBps } from "./money";
import { MINIMUM_FEE_BPS } from "./plans";

/**
 * Returns whether deposits into service wallets carry the service fee. Execute refuses a transaction that does not.
 *
 * The fee is a transfer to a collector of at least floor(0.25 % × max(0, deposit − rentMin)), summed over the service
 * wallets. The transfer must exist even when that is 0. A service wallet's transfer to itself is no deposit.
 * @param rentMin rent-exempt minimum of an empty account in lamports; it activates the wallet and is free of charge
 */
export function carriesFee(
  movements: SystemMovement[],
  isServiceWallet: (address: string) => boolean,
  isCollector: (address: string) => boolean,
  rentMin: bigint,
): boolean {
  const deposits = new Map<string, bigint>();
  for (const { from, to, lamports } of movements) {
    if (from !== to && isServiceWallet(to)) deposits.set(to, (deposits.get(to) ?? 0n) + lamports);
  }
  if (deposits.size === 0) return true;
  let due = 0n;
  for (const deposit of deposits.values()) due += deposit > rentMin ? applyBps(deposit - rentMin, MINIMUM_FEE_BPS) : 0n;
  const payments = movements.filter(({ to }) => isCollector(to));
  return payments.length > 0 && payments.reduce((sum, { lamports }) => sum + lamports, 0n) >= due;
}
