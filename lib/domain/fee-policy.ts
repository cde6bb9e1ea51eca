import type { SystemMovement } from "../solana/system-instructions";
import { applyBps } from "./money";
import { MINIMUM_FEE_BPS } from "./plans";

/**
 * Returns whether deposits into service wallets carry the service fee. POST /api/swap/execute refuses a transaction
 * whose deposits do not.
 *
 * The fee is a transfer to a collector of at least floor(0.25 % × max(0, deposit − rentMin)), summed over the service
 * wallets. The transfer must exist even when the fee is 0. A service wallet's transfer to itself is not a deposit.
 * @param rentMin rent-exempt minimum of an empty account in lamports; it activates the wallet and is free of charge
 */
export function carriesFee(
  movements: SystemMovement[],
  isServiceWallet: (address: string) => boolean,
  isCollector: (address: string) => boolean,
  rentMin: bigint,
): boolean {
  const depositsByWallet = new Map<string, bigint>();
  for (const { from, to, lamports } of movements) {
    if (from !== to && isServiceWallet(to)) depositsByWallet.set(to, (depositsByWallet.get(to) ?? 0n) + lamports);
  }
  if (depositsByWallet.size === 0) return true;
  let dueLamports = 0n;
  for (const deposit of depositsByWallet.values())
    dueLamports += deposit > rentMin ? applyBps(deposit - rentMin, MINIMUM_FEE_BPS) : 0n;
  const feePayments = movements.filter(({ to }) => isCollector(to));
  return feePayments.length > 0 && feePayments.reduce((sum, { lamports }) => sum + lamports, 0n) >= dueLamports;
}
