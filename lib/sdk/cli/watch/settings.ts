import type { Allocation, SavingTerms } from "../../requests";

/** The actions and limits that the user allows the watch. */
export interface WatchSettings {
  terms: SavingTerms;
  /** Change in US dollars that triggers a saving. Change that has waited for a day is saved regardless. */
  everyUsd: number;
  allocations: Allocation[];
  thresholdUsd: number;
  slippageBps: number;
  /** Maximum US dollars saved in any 24 hours, by any program, without network fees. */
  maxPerDayUsd: number;
  /** Minimum balance of the user's own wallet. */
  keepLamports: bigint;
  /** Weekly top-up in US dollars; null for none. */
  weeklyUsd: number | null;
  dryRun: boolean;
  /** Time between two polls. */
  intervalMs: number;
}
