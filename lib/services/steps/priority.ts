import type { Deps } from "../../ports/deps";
import { NO_PRIORITY_FEE, type PriorityFee } from "../../solana/priority";

/** Reads the priority fee for a transaction that writes to these accounts. */
export async function readPriority(
  { priorityFees, maxPriorityFeeLamports }: Deps,
  accounts: string[],
): Promise<PriorityFee> {
  if (!priorityFees) return NO_PRIORITY_FEE;
  return { unitPrice: await priorityFees.readUnitPrice(accounts), maxLamports: maxPriorityFeeLamports };
}
