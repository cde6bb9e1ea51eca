import type { SystemMovement } from "../solana/system-instructions";
import { share } from "./money";
import { MINIMUM_FEE_BPS } from "./plans";

/**
 * Whether deposits from others into service wallets carry the fee: a transfer to a fee collector, present even when the
 * least fee is 0, of at least floor(0.25 % × max(0, deposit − rentMin)) for each service wallet.
 * @param rentMin rent-exempt minimum of an empty account, lamports: an activation is not an investment
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
  for (const deposit of deposits.values()) due += deposit > rentMin ? share(deposit - rentMin, MINIMUM_FEE_BPS) : 0n;
  const payments = movements.filter(({ to }) => isCollector(to));
  return payments.length > 0 && payments.reduce((sum, { lamports }) => sum + lamports, 0n) >= due;
}
