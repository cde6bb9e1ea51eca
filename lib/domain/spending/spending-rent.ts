import { NATIVE_MINT } from "../../solana/programs";
import { computeHighestRent, isExactRent } from "../../solana/rent";
import { computeLamportChange, computeWrappedChange, listOwnBalances, type TransactionFigures } from "../activity";
import { clampToZero } from "../money";

/** Separates rent from payments in the SOL that left a wallet. Amounts are lamports. */

/** Lists transfers out of the wallet, including those that programs made on its behalf. */
const listOutgoingTransfers = ({ movements, innerMovements }: TransactionFigures, wallet: string) =>
  [...movements, ...innerMovements].filter(({ from, to }) => from === wallet && to !== wallet);

/** Lists the token accounts that the wallet owned before or after the transaction. */
export const listOwnTokenAccounts = (figures: TransactionFigures, wallet: string): string[] =>
  listOwnBalances(figures, wallet).map(({ accountIndex }) => figures.accountKeys[accountIndex]!);

/** Adds up the lamports that the wallet transferred to addresses for which `isPayee` is true. */
export function sumPaidTo(figures: TransactionFigures, wallet: string, isPayee: (address: string) => boolean): bigint {
  const transfers = listOutgoingTransfers(figures, wallet).filter(({ to }) => isPayee(to));
  return transfers.reduce((sum, { lamports }) => sum + lamports, 0n);
}

/**
 * Adds up the SOL that payees received from the wallet: by transfer, as wrapped SOL in token accounts that they own, or
 * when an account was closed into them.
 * @param rentGivenAwayLamports rent of the wallet's own accounts that others received, which the sum excludes
 */
export function sumReceivedBy(
  figures: TransactionFigures,
  wallet: string,
  rentGivenAwayLamports: bigint,
  isPayee: (address: string) => boolean,
): bigint {
  const { accountKeys, postTokenBalances, movements, innerMovements } = figures;
  const addresses = new Set([...accountKeys, ...postTokenBalances.flatMap(({ owner }) => owner ?? [])]);
  const payees = [...addresses].filter((address) => address !== wallet && isPayee(address));
  const extraLamports = payees.map((payee) => {
    const transfers = [...movements, ...innerMovements].filter(({ from, to }) => to === payee && from !== payee);
    const transferredLamports = transfers.reduce((sum, { lamports }) => sum + lamports, 0n);
    // Negative if the payee spent lamports too, for example to wrap what it received.
    const untransferredLamports = computeLamportChange(figures, accountKeys.indexOf(payee)) - transferredLamports;
    const closedLamports =
      untransferredLamports > 0n ? clampToZero(untransferredLamports - rentGivenAwayLamports) : untransferredLamports;
    return clampToZero(closedLamports + computeWrappedChange(figures, payee));
  });
  return extraLamports.reduce((sum, lamports) => sum + lamports, sumPaidTo(figures, wallet, isPayee));
}

/**
 * Computes the rent that the wallet paid for other owners' accounts. Rent is not a payment, because the account's owner
 * cannot spend it while the account exists. Lamports above the rent for the account's original size are a payment. The
 * exception is an amount that is exactly the rent of another size: the account grew.
 */
export function computeRentPaid(figures: TransactionFigures, wallet: string): bigint {
  const { preTokenBalances, postTokenBalances, createdAccounts, stakedAccounts } = figures;
  const lamportsByPayee = new Map<string, bigint>();
  for (const { to, lamports } of listOutgoingTransfers(figures, wallet))
    lamportsByPayee.set(to, (lamportsByPayee.get(to) ?? 0n) + lamports);
  let rentLamports = 0n;
  for (const [account, lamports] of lamportsByPayee) {
    const index = figures.accountKeys.indexOf(account);
    const balanceBefore = preTokenBalances.find(({ accountIndex }) => accountIndex === index);
    const balanceAfter = postTokenBalances.find(({ accountIndex }) => accountIndex === index);
    const creation = createdAccounts.find((entry) => entry.account === account);
    // Skip stakes, and the wallet's own token accounts: their rent is a deposit, not a loss.
    if (
      (balanceBefore ?? balanceAfter)?.owner === wallet ||
      stakedAccounts.includes(account) ||
      !(creation || balanceBefore || balanceAfter)
    )
      continue;
    const wrappedLamports =
      balanceAfter?.mint === NATIVE_MINT ? balanceAfter.amount - (balanceBefore?.amount ?? 0n) : 0n;
    const gainedLamports = clampToZero(computeLamportChange(figures, index) - wrappedLamports);
    const maxRentLamports =
      creation && !isExactRent(gainedLamports) ? computeHighestRent(creation.space) : gainedLamports;
    rentLamports += [gainedLamports, lamports, maxRentLamports].reduce((least, amount) =>
      amount < least ? amount : least,
    );
  }
  return rentLamports;
}

/**
 * Computes the rent of the wallet's own closed token accounts that went to another address. Transfers by the System
 * program and wrapped SOL explain the rest of the loss.
 * @param amounts `solLamports` is the wallet's total gain or loss, deposits included
 */
export function computeRentGivenAway(
  figures: TransactionFigures,
  wallet: string,
  {
    solLamports,
    wrappedLamports,
    depositChangeLamports,
  }: { solLamports: bigint; wrappedLamports: bigint; depositChangeLamports: bigint },
): bigint {
  if (depositChangeLamports >= 0n) return 0n;
  const ownAccounts = listOwnTokenAccounts(figures, wallet);
  const transferredLamports = sumPaidTo(figures, wallet, (address) => !ownAccounts.includes(address));
  const unexplainedLamports = clampToZero(-solLamports - transferredLamports - clampToZero(-wrappedLamports));
  return unexplainedLamports < -depositChangeLamports ? unexplainedLamports : -depositChangeLamports;
}

/**
 * Computes the rent that the wallet received when accounts of others closed, such as a program's temporary account.
 * Counts it only when it equals exactly what the wallet's balance and transfers leave unexplained. Otherwise returns 0:
 * the wallet may have received a payment as well.
 * @param netLamports the wallet's total gain or loss in SOL
 */
export function computeRentReceived(figures: TransactionFigures, wallet: string, netLamports: bigint): bigint {
  const { accountKeys, preBalances, postBalances, signers } = figures;
  const ownAccounts = listOwnTokenAccounts(figures, wallet);
  // A signer that sends away its whole balance makes a payment. It does not close an account.
  const closedBalances = preBalances.filter(
    (balance, i) => balance > 0n && postBalances[i] === 0n && ![...signers, ...ownAccounts].includes(accountKeys[i]!),
  );
  const isOpen = (address: string) => postBalances[accountKeys.indexOf(address)] !== 0n;
  const receivedLamports =
    netLamports + sumPaidTo(figures, wallet, (address) => !ownAccounts.includes(address) && isOpen(address));
  const rentLamports = closedBalances.reduce((sum, lamports) => sum + lamports, 0n);
  return closedBalances.every(isExactRent) && receivedLamports === rentLamports ? rentLamports : 0n;
}
