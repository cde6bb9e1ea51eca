import type { Portfolio } from "@/app/dashboard/_components/balances";
import type { WithdrawRequest } from "@/lib/sdk/flow/withdraw";

/**
 * Lamports with which tokens can still be sent later: the deposit of a token account (2,039,280), the wallet's own
 * minimum (890,880) and fees. Only for advice beforehand; what a withdrawal really takes, the service reads and says.
 */
const ENOUGH_LAMPORTS = 3_000_000n;

/** The tokens that a withdrawal would leave with too little SOL to be sent later; empty when there is no such thing. */
export function tokensWithoutSol(
  { balances }: Portfolio,
  { asset, amount }: Pick<WithdrawRequest, "asset" | "amount">,
  remainingLamports: bigint,
): string[] {
  if (asset === null || remainingLamports >= ENOUGH_LAMPORTS) return [];
  const stays = balances.filter((one) => one.asset !== "SOL" && (one.asset !== asset || amount !== null));
  return [...new Set(stays.map(({ symbol }) => symbol))];
}

/** A few names in a sentence. */
export function namesText(names: string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more tokens`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");
}
