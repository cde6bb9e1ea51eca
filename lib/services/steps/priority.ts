import type { Deps } from "../../ports/deps";
import { NO_PRIORITY, type Priority } from "../../solana/priority";

/** What a transaction that writes to these accounts offers, where this network needs it. */
export async function priorityFor(
  { priorityFees, maxPriorityFeeLamports }: Deps,
  accounts: string[],
): Promise<Priority> {
  if (!priorityFees) return NO_PRIORITY;
  return { unitPrice: await priorityFees.unitPrice(accounts), maxLamports: maxPriorityFeeLamports };
}
