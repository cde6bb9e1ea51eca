import type { Portfolio } from "@/app/_client/queries/queries";
import { findKnownTokenByMint } from "@/lib/domain/assets";
import type { WithdrawRequest } from "@/lib/sdk/requests";

/**
 * Lamports needed to send tokens later: a token account's deposit (2,039,280), the wallet's own minimum (890,880) and
 * fees. Used only to warn beforehand; the service computes the exact amount for a withdrawal.
 */
export const LAMPORTS_NEEDED_TO_SEND_TOKENS = 3_000_000n;

/**
 * Returns the symbols of the tokens that this withdrawal would leave without enough SOL to be sent later. An `asset` of
 * null withdraws everything, and an `amountBaseUnits` of null the whole asset.
 */
export function listStrandedTokenSymbols(
  { balances }: Portfolio,
  { asset, amountBaseUnits }: Pick<WithdrawRequest, "asset" | "amountBaseUnits">,
  remainingLamports: bigint,
): string[] {
  if (asset === null || remainingLamports >= LAMPORTS_NEEDED_TO_SEND_TOKENS) return [];
  const unsentTokenBalances = balances.filter(
    (balance) => balance.asset !== "SOL" && (findKnownTokenByMint(balance.mint) !== asset || amountBaseUnits !== null),
  );
  return [...new Set(unsentTokenBalances.map(({ symbol }) => symbol))];
}

/** Joins names into a phrase. Counts the names after the second when there are more than three. */
export function joinTokenNames(names: string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more tokens`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");
}
