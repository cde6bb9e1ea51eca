import { ASSETS } from "../../domain/assets";
import { lamportsToUsd } from "../../domain/money";
import { DAY_MS } from "../../domain/time";
import { readStoredRecord } from "../../sdk/flow/record";
import type { WrapBreakdown, WrapRecord } from "../../sdk/flow/wraps";
import type { Activity } from "../../sdk/index";
import type { Storage } from "../../sdk/platform";
import { readFirstSignature } from "../../sdk/sign/transactions";
import { readDayMoves } from "../state/day-moves";
import type { Session } from "../state/session";

/** State that the watch stores besides the SDK's own records. */
interface StoredWatch {
  /** Savings that landed in the last day, in US dollars. A node's history may not show them yet. */
  saved: { txSignature: string; usd: number; atMs: number }[];
  /** Since when change has been waiting, ms since the Unix epoch; null when there is none. */
  waitingSinceMs: number | null;
  /** The last ISO week whose top-up was made, by any program, e.g. `2026-W47`; null before the first. */
  toppedUp: string | null;
}

const NOTHING_STORED: StoredWatch = { saved: [], waitingSinceMs: null, toppedUp: null };

export type WatchMemory = ReturnType<typeof createWatchMemory>;

/** Creates the reader and writer of the state that the watch stores for a wallet. */
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

/** The names of the flows that save. Each has its own record of an unfinished payment. */
export const SAVING_FLOWS = ["topup", "save"] as const;

/** Returns the US dollars that a saving takes from the wallet, without the network fee. */
export const toSavingUsd = ({ roundUpLamports, activationLamports, solPriceUsd }: WrapBreakdown): number =>
  lamportsToUsd(roundUpLamports + activationLamports, solPriceUsd ?? 0);

/**
 * Returns the US dollars saved in the last 24 hours; null while the history is still being read. It counts each saving
 * once, whether the saving is on the chain, in the stored state or in flight.
 * @param solPriceUsd US dollars per SOL, for savings without a recorded price
 * @throws {ApiError}
 */
export async function sumSavedInADay(
  { roundup, storage, memory, wallet, clock }: Omit<Session, "lock"> & { memory: WatchMemory },
  solPriceUsd: number,
): Promise<number | null> {
  const nowMs = clock.now();
  const usdBySignature = new Map<string, number>();
  for (const { txSignature, usd, atMs } of (await memory.readState()).saved)
    if (atMs > nowMs - DAY_MS) usdBySignature.set(txSignature, usd);
  for (const name of SAVING_FLOWS) {
    const unfinishedRecord = await readStoredRecord<unknown, WrapRecord>(storage, name, wallet);
    if (!unfinishedRecord?.inFlight) continue;
    const { signed, about } = unfinishedRecord.inFlight;
    usdBySignature.set(readFirstSignature(signed), toSavingUsd(about.breakdown));
  }
  const moves = await readDayMoves(roundup, storage, await roundup.serviceWallet(), nowMs);
  if (!moves) return null;
  for (const item of moves)
    if (item.type === "round_up")
      usdBySignature.set(item.txSignature, usdBySignature.get(item.txSignature) ?? toChainSavingUsd(item));
  return [...usdBySignature.values()].reduce((sum, usd) => sum + usd, 0);

  function toChainSavingUsd({ amounts, serviceFeeLamports, priceUsd }: Activity["items"][number]): number {
    // Count only SOL, because a stranger can add token transfers to a transaction.
    const savedLamports = Number(amounts.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0);
    return lamportsToUsd(Math.max(0, savedLamports) + (serviceFeeLamports ?? 0), priceUsd ?? solPriceUsd);
  }
}
