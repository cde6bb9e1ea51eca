import type { RoundUpRequest } from "../../../domain/round-up";
import type { Leg } from "../../flow/invest";

/** What a person lets the watch do, and how much of it. */
export interface WatchSettings {
  terms: RoundUpRequest;
  /** US dollars of change from which on it is saved; what waits for a day is saved all the same. */
  everyUsd: number;
  legs: Leg[];
  thresholdUsd: number;
  slippageBps: number;
  /** US dollars that are saved in any 24 hours at most, whoever saved them; without the network's fees. */
  maxPerDayUsd: number;
  /** Stays in the person's own wallet. */
  keepLamports: bigint;
  /** US dollars that are topped up each week; null: none. */
  weeklyUsd: number | null;
  dryRun: boolean;
  /** Between two looks. */
  intervalMs: number;
}
