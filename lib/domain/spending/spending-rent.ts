import { NATIVE_MINT } from "../../solana/programs";
import { computeHighestRent, isExactRent } from "../../solana/rent";
import { listOwnBalances, type TransactionFigures } from "../activity";
import { clampToZero } from "../money";

/** Separates rent from payments in the SOL that left a wallet. Amounts are lamports. */

/** Lists transfers out of the wallet, including those that programs made on its behalf. */
const listOutgoing = ({ movements, innerMovements }: TransactionFigures, wallet: string) =>
  [...movements, ...innerMovements].filter(({ from, to }) => from === wallet && to !== wallet);

/** Lists the token accounts that the wallet owned before or after the transaction. */
export const listOwnTokenAccounts = (figures: TransactionFigures, wallet: string): string[] =>
  listOwnBalances(figures, wallet).map(({ accountIndex }) => figures.accountKeys[accountIndex]!);

/** Adds up the lamports that the wallet transferred to addresses for which `isPayee` is true. */
export function sumPaidTo(figures: TransactionFigures, wallet: string, isPayee: (address: string) => boolean): bigint {
  const paid = listOutgoing(figures, wallet).filter(({ to }) => isPayee(to));
  return paid.reduce((sum, { lamports }) => sum + lamports, 0n);
}

/**
 * Computes the rent that the wallet paid for new accounts of others or for token accounts. Nobody can spend rent.
 * Lamports above the rent for the account's original size are a payment. The exception is an amount that is exactly the
 * rent of another size: the account grew.
 */
export function computeRentPaid(figures: TransactionFigures, wallet: string): bigint {
  const {
    accountKeys,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
    createdAccounts,
    stakedAccounts,
  } = figures;
  const paid = new Map<string, bigint>();
  for (const { to, lamports } of listOutgoing(figures, wallet)) paid.set(to, (paid.get(to) ?? 0n) + lamports);
  let rent = 0n;
  for (const [account, lamports] of paid) {
    const at = accountKeys.indexOf(account);
    const before = preTokenBalances.find(({ accountIndex }) => accountIndex === at);
    const after = postTokenBalances.find(({ accountIndex }) => accountIndex === at);
    const creation = createdAccounts.find((entry) => entry.account === account);
    // Skip stakes, and the wallet's own token accounts: their rent is a deposit, not a loss.
    if ((before ?? after)?.owner === wallet || stakedAccounts.includes(account) || !(creation || before || after))
      continue;
    const wrapped = after?.mint === NATIVE_MINT ? after.amount - (before?.amount ?? 0n) : 0n;
    const gained = clampToZero((postBalances[at] ?? 0n) - (preBalances[at] ?? 0n) - wrapped);
    const highest = creation && !isExactRent(gained) ? computeHighestRent(creation.space) : gained;
    rent += [gained, lamports, highest].reduce((least, amount) => (amount < least ? amount : least));
  }
  return rent;
}

/**
 * Computes the rent of the wallet's own closed token accounts that went to another address. Transfers by the System
 * program and wrapped SOL explain the rest of the loss.
 * @param amounts `sol` is the wallet's total gain or loss, deposits included
 */
export function computeRentGivenAway(
  figures: TransactionFigures,
  wallet: string,
  { sol, wrapped, depositChange }: { sol: bigint; wrapped: bigint; depositChange: bigint },
): bigint {
  if (depositChange >= 0n) return 0n;
  const own = listOwnTokenAccounts(figures, wallet);
  const moved = sumPaidTo(figures, wallet, (address) => !own.includes(address));
  const unexplained = clampToZero(-sol - moved - clampToZero(-wrapped));
  return unexplained < -depositChange ? unexplained : -depositChange;
}

/**
 * Computes the rent that the wallet received when accounts of others closed, such as a program's temporary account.
 * Counts it only when it equals exactly what the wallet's balance and transfers leave unexplained. Otherwise returns 0:
 * the wallet may have received a payment as well.
 * @param moved the wallet's total gain or loss in SOL
 */
export function computeRentBack(figures: TransactionFigures, wallet: string, moved: bigint): bigint {
  const { accountKeys, preBalances, postBalances, signers } = figures;
  const own = listOwnTokenAccounts(figures, wallet);
  // A signer that sends away its whole balance makes a payment. It does not close an account.
  const closed = preBalances.filter(
    (before, i) => before > 0n && postBalances[i] === 0n && ![...signers, ...own].includes(accountKeys[i]!),
  );
  const isOpen = (address: string) => postBalances[accountKeys.indexOf(address)] !== 0n;
  const received = moved + sumPaidTo(figures, wallet, (address) => !own.includes(address) && isOpen(address));
  const rent = closed.reduce((sum, lamports) => sum + lamports, 0n);
  return closed.every(isExactRent) && received === rent ? rent : 0n;
}
