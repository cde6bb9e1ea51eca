import { applyBps } from "./money";
import { isExchange, type Movement, readMoney } from "./movements";
import { MINIMUM_FEE_BPS } from "./plans";

/**
 * Returns whether deposits into service wallets carry the service fee. POST /api/swap/execute refuses a transaction
 * whose deposits do not carry the fee.
 *
 * SOL and USDC count separately. The fee is the sum over the service wallets of floor(0.25 % × deposit); of SOL, the
 * rent minimum of each wallet is free of charge. The transaction must transfer at least the fee to collectors. A transfer
 * to a collector must exist even when the fee is 0. A service wallet's transfer to itself is no deposit, and what it gets
 * in exchange is none either.
 * @param rentMinimumLamports rent-exempt minimum of an empty account. This part of a deposit activates the wallet
 */
export function carriesFee(
  movements: Movement[],
  isServiceWallet: (address: string) => boolean,
  isCollector: (address: string) => boolean,
  rentMinimumLamports: bigint,
): boolean {
  const paysFor = (moved: Movement[], freeAmount: bigint) => {
    const depositsByWallet = new Map<string, bigint>();
    for (const movement of moved) {
      const { from, to } = movement;
      if (from !== to && isServiceWallet(to) && !isExchange(movement, movements))
        depositsByWallet.set(to, (depositsByWallet.get(to) ?? 0n) + readMoney(movement)!);
    }
    if (depositsByWallet.size === 0) return true;
    let dueFee = 0n;
    for (const deposit of depositsByWallet.values())
      dueFee += deposit > freeAmount ? applyBps(deposit - freeAmount, MINIMUM_FEE_BPS) : 0n;
    const feePayments = moved.filter(({ to }) => isCollector(to));
    return feePayments.length > 0 && feePayments.reduce((sum, fee) => sum + readMoney(fee)!, 0n) >= dueFee;
  };
  const money = movements.filter((movement) => readMoney(movement) !== null);
  return (
    paysFor(
      money.filter(({ token }) => !token),
      rentMinimumLamports,
    ) &&
    paysFor(
      money.filter(({ token }) => token),
      0n,
    )
  );
}
