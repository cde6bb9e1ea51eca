import { NATIVE_MINT } from "../../solana/programs";
import { highestRent, isExactRent } from "../../solana/rent";
import type { TransactionFigures } from "../activity";

/** What of the SOL that left a wallet is rent on accounts, which is no payment. */

export const atLeast0 = (amount: bigint) => (amount > 0n ? amount : 0n);

/** All of it, programs' payments on the wallet's behalf included. */
const movementsOf = ({ movements, innerMovements }: TransactionFigures, wallet: string) =>
  [...movements, ...innerMovements].filter(({ from, to }) => from === wallet && to !== wallet);

export function ownTokenAccounts(figures: TransactionFigures, wallet: string): string[] {
  const { accountKeys, preTokenBalances, postTokenBalances } = figures;
  const own = [...preTokenBalances, ...postTokenBalances].filter(({ owner }) => owner === wallet);
  return own.map(({ accountIndex }) => accountKeys[accountIndex]!);
}

export function paidTo(figures: TransactionFigures, wallet: string, isPayee: (address: string) => boolean): bigint {
  const paid = movementsOf(figures, wallet).filter(({ to }) => isPayee(to));
  return paid.reduce((sum, { lamports }) => sum + lamports, 0n);
}

/**
 * What the wallet put as rent on accounts of others that were opened, or on token accounts: nobody can spend it from there.
 * What an account got beyond the rent of the size it was made with is not rent, unless it is the rent of another size: it grew.
 */
export function rentPaid(figures: TransactionFigures, wallet: string): bigint {
  const { accountKeys, preBalances, postBalances, preTokenBalances, postTokenBalances, created, staked } = figures;
  const paid = new Map<string, bigint>();
  for (const { to, lamports } of movementsOf(figures, wallet)) paid.set(to, (paid.get(to) ?? 0n) + lamports);
  let rent = 0n;
  for (const [account, lamports] of paid) {
    const at = accountKeys.indexOf(account);
    const before = preTokenBalances.find(({ accountIndex }) => accountIndex === at);
    const after = postTokenBalances.find(({ accountIndex }) => accountIndex === at);
    const made = created.find((one) => one.account === account);
    // Its own ones are deposits, which are no loss, and stakes.
    if ((before ?? after)?.owner === wallet || staked.includes(account) || !(made || before || after)) continue;
    const wrapped = after?.mint === NATIVE_MINT ? after.amount - (before?.amount ?? 0n) : 0n;
    const stays = atLeast0((postBalances[at] ?? 0n) - (preBalances[at] ?? 0n) - wrapped);
    const most = made && !isExactRent(stays) ? highestRent(made.space) : stays;
    rent += [stays, lamports, most].reduce((least, one) => (one < least ? one : least));
  }
  return rent;
}

/**
 * Of what lay as rent on the wallet's own token accounts, what went to somebody else as they were closed: the rest of what
 * it lost is what the System program moved for it, and wrapped SOL. `sol` is all it gained or lost, deposits included.
 */
export function rentGivenAway(
  figures: TransactionFigures,
  wallet: string,
  { sol, wrapped, depositChange }: { sol: bigint; wrapped: bigint; depositChange: bigint },
): bigint {
  if (depositChange >= 0n) return 0n;
  const own = ownTokenAccounts(figures, wallet);
  const moved = paidTo(figures, wallet, (address) => !own.includes(address));
  const unexplained = atLeast0(-sol - moved - atLeast0(-wrapped));
  return unexplained < -depositChange ? unexplained : -depositChange;
}

/**
 * Rent of others' accounts that were closed, such as a program's temporary one, where it came to the wallet: where it is just
 * what its balance and its transfers leave unexplained. Else 0: with the rent, it may have got anything.
 * @param moved all that it gained or lost in SOL
 */
export function rentBack(figures: TransactionFigures, wallet: string, moved: bigint): bigint {
  const { accountKeys, preBalances, postBalances, signers } = figures;
  const own = ownTokenAccounts(figures, wallet);
  // Another wallet that signs away all it has pays.
  const closed = preBalances.filter(
    (before, i) => before > 0n && postBalances[i] === 0n && ![...signers, ...own].includes(accountKeys[i]!),
  );
  const isLeft = (address: string) => postBalances[accountKeys.indexOf(address)] !== 0n;
  const came = moved + paidTo(figures, wallet, (address) => !own.includes(address) && isLeft(address));
  const rent = closed.reduce((sum, lamports) => sum + lamports, 0n);
  return closed.every(isExactRent) && came === rent ? rent : 0n;
}
