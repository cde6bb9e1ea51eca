import type { Storage } from "../../sdk/platform";
import type { InvestRequest, PayTerms, SavingTerms } from "../../sdk/requests";
import type { Io } from "../io";
import type { Ledger } from "../state/ledger";
import type { Session } from "../state/session";

export interface WatchSettings extends InvestRequest, PayTerms {
  terms: SavingTerms;
  /** The amount of change that triggers a saving, US dollars. Less is saved once it has waited for a day. */
  everyUsd: number;
  /** Maximum US dollars saved in any 24 hours, by any program, without network fees. */
  maxPerDayUsd: number;
  /** Maximum US dollars saved in a calendar month, local time, counted in the same way; null for no limit. */
  maxPerMonthUsd: number | null;
  /** What a saving in SOL leaves in the user's own wallet. */
  keepLamports: bigint;
  /** Weekly top-up in US dollars; null for none. */
  weeklyUsd: number | null;
  isDryRun: boolean;
  intervalMs: number;
}

export interface WatchEvent {
  event: "started" | "saved" | "topped_up" | "invested" | "would" | "waits" | "trouble" | "ended";
  text: string;
  txSignatures?: string[];
  /** US dollars saved, topped up or invested. */
  amountUsd?: number;
  payments?: number;
}

export interface WatchContext extends Session, Pick<Io, "random" | "pause"> {
  settings: WatchSettings;
  ledger: Ledger;
  memory: ReturnType<typeof createWatchMemory>;
  log(event: WatchEvent): void;
  isEnding(): boolean;
  /** Resolves at the wallet's next change; null without an active subscription. */
  waitForChange(): Promise<void> | null;
}

/** State that the watch stores besides the ledger and the SDK's own records. */
interface StoredWatch {
  /** Since when change has been waiting, ms since the Unix epoch; null when there is none. */
  waitingSinceMs: number | null;
  /** The last ISO week whose top-up was made, by any program, e.g. `2026-W47`; null before the first. */
  toppedUp: string | null;
}

const NOTHING_STORED: StoredWatch = { waitingSinceMs: null, toppedUp: null };

export function createWatchMemory(storage: Storage, wallet: string) {
  const key = `roundup-watch:${wallet}`;
  const readState = async (): Promise<StoredWatch> => ({
    ...NOTHING_STORED,
    ...JSON.parse((await storage.get(key)) ?? "{}"),
  });
  const updateState = async (changes: Partial<StoredWatch>) =>
    storage.set(key, JSON.stringify({ ...(await readState()), ...changes }));
  return { readState, updateState };
}
