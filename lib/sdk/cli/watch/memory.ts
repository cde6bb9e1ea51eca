import { ASSETS } from "../../../domain/assets";
import { lamportsToUsd } from "../../../domain/money";
import { DAY_MS } from "../../../domain/prices/price-history";
import { readStoredRecord } from "../../flow/record";
import type { WrapBreakdown, WrapRecord } from "../../flow/wraps";
import type { Activity } from "../../index";
import { readFirstSignature } from "../../sign/transactions";
import type { Clock, Storage } from "../../world";
import { readDayMoves } from "../state/day";
import type { Session } from "../state/session";

/** State that the watch stores besides the SDK's own records. */
interface StoredWatch {
  /** Savings that landed in the last day. The chain's history may show them later. */
  saved: { txSignature: string; usd: number; atMs: number }[];
  /** Time since which change has been waiting; null when there is none. */
  waitingSinceMs: number | null;
  /** The last week whose top-up was made, by any program. */
  toppedUp: string | null;
}

const NOTHING_STORED: StoredWatch = { saved: [], waitingSinceMs: null, toppedUp: null };

export type WatchMemory = ReturnType<typeof createWatchMemory>;

/** Reads and updates what a watch stores. */
export function createWatchMemory(storage: Storage, wallet: string) {
  const key = `roundup-watch:${wallet}`;
  const read = async (): Promise<StoredWatch> => ({
    ...NOTHING_STORED,
    ...JSON.parse((await storage.get(key)) ?? "{}"),
  });
  const update = async (changes: Partial<StoredWatch>) =>
    storage.set(key, JSON.stringify({ ...(await read()), ...changes }));
  return { read, update };
}

/** The names of the flows that save. */
export const SAVING_FLOWS = ["topup", "save"] as const;

/** Returns the amount that a saving takes from the wallet, in US dollars, without the network fee. */
export const toSavingUsd = ({ roundUpLamports, activationLamports, solPriceUsd }: WrapBreakdown): number =>
  lamportsToUsd(roundUpLamports + activationLamports, solPriceUsd ?? 0);

interface SavingsSources extends Pick<Session, "roundup" | "storage" | "wallet"> {
  memory: WatchMemory;
  clock: Pick<Clock, "now">;
}

/**
 * Returns the US dollars saved in the last 24 hours; null while the history is still being read. It counts each saving
 * once, whether the saving is on the chain, in the stored state or in flight.
 * @param solPriceUsd US dollars per SOL, for savings without a recorded price
 * @throws {ApiError}
 */
export async function sumSavedInADay(
  { roundup, storage, memory, wallet, clock }: SavingsSources,
  solPriceUsd: number,
): Promise<number | null> {
  const now = clock.now();
  const bySignature = new Map<string, number>();
  for (const { txSignature, usd, atMs } of (await memory.read()).saved)
    if (atMs > now - DAY_MS) bySignature.set(txSignature, usd);
  for (const name of SAVING_FLOWS) {
    const unfinished = await readStoredRecord<unknown, WrapRecord>(storage, name, wallet);
    if (!unfinished?.inFlight) continue;
    const { signed, about } = unfinished.inFlight;
    bySignature.set(readFirstSignature(signed), toSavingUsd(about.breakdown));
  }
  const moves = await readDayMoves(roundup, storage, await roundup.serviceWallet(), now);
  if (!moves) return null;
  for (const item of moves)
    if (item.type === "round_up") bySignature.set(item.txSignature, bySignature.get(item.txSignature) ?? toUsd(item));
  return [...bySignature.values()].reduce((sum, usd) => sum + usd, 0);

  function toUsd({ amounts, serviceFeeLamports, priceUsd }: Activity["items"][number]): number {
    // Count only SOL, because a stranger can add token transfers to a transaction.
    const saved = Number(amounts.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0);
    return lamportsToUsd(Math.max(0, saved) + (serviceFeeLamports ?? 0), priceUsd ?? solPriceUsd);
  }
}
