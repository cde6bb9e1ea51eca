import type { SystemMovement } from "../solana/system-instructions";
import type { TokenMovement } from "../solana/token-instructions";
import { ASSETS } from "./assets";

/** What one transfer moved from a wallet to another: lamports, or a token and then 0 lamports. */
export interface Movement extends SystemMovement {
  /** Wallets are the owners of the token accounts. Absent for lamports. */
  token?: MovedToken;
}

interface MovedToken {
  mint: string;
  /** Base units. */
  amount: bigint;
  /** The wallet that authorised the transfer: `from`, or its delegate. */
  authority: string;
}

export interface AccountOwner {
  owner: string;
  mint: string;
  /** True if the transaction itself opens the account. Its last owner has then approved no delegate. */
  isNew?: boolean;
}

/** Converts transfers between token accounts to those between their owners. Leaves out accounts that are not known. */
export const toTokenMovements = (
  transfers: readonly TokenMovement[],
  findAccount: (address: string, isSource: boolean) => AccountOwner | null,
): Movement[] =>
  transfers.flatMap(({ source, destination, authority, amount }) => {
    const [from, to] = [findAccount(source, true), findAccount(destination, false)];
    if (!from || to?.mint !== from.mint || (from.isNew && authority !== from.owner)) return [];
    return { from: from.owner, to: to.owner, lamports: 0n, token: { mint: from.mint, amount, authority } };
  });

/** Base units of USDC that a transfer moved; null if it moved something else. One unit is a micro-dollar at parity. */
export const readUsdc = ({ token }: Movement): bigint | null =>
  token?.mint === ASSETS.USDC.mint ? token.amount : null;

/** Returns what a transfer moved of SOL or USDC, in base units; null for any other token. Only these pay fees. */
export const readMoney = (movement: Movement): bigint | null =>
  movement.token ? readUsdc(movement) : movement.lamports;

export const readAuthority = ({ from, token }: Movement): string => token?.authority ?? from;

/**
 * Returns whether a delegate took a token in exchange: it pays the token's owner in the same transaction. The sandbox's
 * venue sells like this. A pull without such a payment is a saving, or a payment to the delegate.
 */
export const isExchange = (movement: Movement, movements: readonly Movement[]): boolean =>
  readAuthority(movement) !== movement.from &&
  movements.some(
    ({ from, to, lamports, token }) =>
      from === readAuthority(movement) && to === movement.from && (token?.amount ?? lamports) > 0n,
  );
