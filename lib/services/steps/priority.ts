import type { Deps } from "../../ports/deps";
import { NO_PRIORITY, type Priority } from "../../solana/priority";

/**
 * Reads the priority fee for a transaction that writes to these accounts. Returns NO_PRIORITY if the deployment pays no
 * priority fees.
 */
export async function readPriority(
  { priorityFees, maxPriorityFeeLamports }: Deps,
  accounts: string[],
): Promise<Priority> {
  if (!priorityFees) return NO_PRIORITY;
  return { unitPrice: await priorityFees.readUnitPrice(accounts), maxLamports: maxPriorityFeeLamports };
}
