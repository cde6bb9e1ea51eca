import { ASSETS } from "../../../domain/assets";
import { lamportsToUsd } from "../../../domain/money";
import { readStoredRecord } from "../../flow/record";
import type { WrapBreakdown } from "../../flow/wraps";
import type { Activity, Roundup } from "../../index";
import { readFirstSignature } from "../../sign/transactions";
import type { Storage } from "../../world";
import { DAY_MS, readDayMoves } from "../state/day";

/** State that the watch stores besides the SDK's own records. */
interface StoredWatch {
  /** Savings that landed in the last day. The chain's history may show them later. */
  saved: { txSignature: string; usd: number; atMs: number }[];
  /** Time since which change has been waiting; null when there is none. */
  waitingSinceMs: number | null;
  /** The last week whose top-up was made, by any program. */
  toppedUp: string | null;
}

const NOTHING: StoredWatch = { saved: [], waitingSinceMs: null, toppedUp: null };

export type WatchMemory = ReturnType<typeof createWatchMemory>;

/** Reads and updates what a watch stores. */
export function createWatchMemory(storage: Storage, wallet: string) {
  const key = `roundup-watch:${wallet}`;
  const read = async (): Promise<StoredWatch> => ({ ...NOTHING, ...JSON.parse((await storage.get(key)) ?? "{}") });
  const update = async (changes: Partial<StoredWatch>) =>
    storage.set(key, JSON.stringify({ ...(await read()), ...changes }));
  return { read, update };
}

/** The flows that save. */
export const FLOWS = ["topup", "save"] as const;

/** Returns the amount that a saving takes from the wallet, in US dollars, without the network fee. */
export const toSavingUsd = ({ roundUpLamports, activationLamports, solPriceUsd }: WrapBreakdown): number =>
  lamportsToUsd(roundUpLamports + activationLamports, solPriceUsd ?? 0);

interface SavedCounts {
  roundup: Roundup;
  storage: Storage;
  memory: WatchMemory;
  wallet: string;
  now: number;
  /** US dollars per SOL, for savings without a recorded price. */
  solPriceUsd: number;
}

/**
 * Returns the US dollars saved in the last 24 hours; null while the history is still being read. It counts each saving
 * once, whether the saving is on the chain, in the stored state or in flight.
 * @throws {ApiError}
 */
export async function sumSavedInADay(counting: SavedCounts): Promise<number | null> {
  const { roundup, storage, memory, wallet, now, solPriceUsd } = counting;
  const bySignature = new Map<string, number>();
  for (const { txSignature, usd, atMs } of (await memory.read()).saved)
    if (atMs > now - DAY_MS) bySignature.set(txSignature, usd);
  for (const name of FLOWS) {
    const left = await readStoredRecord<unknown, { breakdown: WrapBreakdown }>(storage, name, wallet);
    if (left?.inFlight)
      bySignature.set(readFirstSignature(left.inFlight.signed), toSavingUsd(left.inFlight.about.breakdown));
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
