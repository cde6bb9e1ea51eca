import bs58 from "bs58";
import { ASSETS } from "../../../domain/assets";
import { lamportsToUsd } from "../../../domain/money";
import { fromBase64 } from "../../../solana/bytes";
import { type FlowRecord, parseRecord, recordKey } from "../../flow/record";
import type { WrapBreakdown } from "../../flow/wraps";
import type { Activity, Roundup } from "../../index";
import type { Storage } from "../../world";
import { DAY_MS, movesOfADay } from "../state/day";

/** What the watch remembers beside the SDK's own records. */
interface StoredWatch {
  /** Landed savings of the last day: the chain's history may come later than they. */
  saved: { txSignature: string; usd: number; atMs: number }[];
  /** Since when there is change that waits; null: there is none. */
  waitingSinceMs: number | null;
  /** The last week whose top-up is made, by whomever. */
  toppedUp: string | null;
}

const NOTHING: StoredWatch = { saved: [], waitingSinceMs: null, toppedUp: null };

export interface WatchMemory {
  read(): Promise<StoredWatch>;
  change(next: Partial<StoredWatch>): Promise<void>;
}

export function watchMemory(storage: Storage, wallet: string): WatchMemory {
  const key = `roundup-watch:${wallet}`;
  const read = async (): Promise<StoredWatch> => ({ ...NOTHING, ...JSON.parse((await storage.get(key)) ?? "{}") });
  return { read, change: async (next) => storage.set(key, JSON.stringify({ ...(await read()), ...next })) };
}

export const FLOWS = ["topup", "save"] as const;

/** What was sent and may still land. */
export async function unfinishedOf<R, D>(storage: Storage, name: string, wallet: string) {
  return parseRecord<R, D>(await storage.get(recordKey(name, wallet)));
}

/** What a saving takes from the wallet, US dollars, without the network's fee. */
export const worthOf = ({ roundUpLamports, activationLamports, solPriceUsd }: WrapBreakdown): number =>
  lamportsToUsd(roundUpLamports + activationLamports, solPriceUsd ?? 0);

interface SavedCounts {
  roundup: Roundup;
  storage: Storage;
  memory: WatchMemory;
  wallet: string;
  now: number;
  /** For savings whose own price nobody knows any more. */
  solPriceUsd: number;
}

/**
 * US dollars saved in the last 24 hours: on the chain, remembered or on its way, each once; null while it is not counted.
 * @throws {ApiError}
 */
export async function savedInADay(counting: SavedCounts): Promise<number | null> {
  const { roundup, storage, memory, wallet, now, solPriceUsd } = counting;
  const bySignature = new Map<string, number>();
  for (const { txSignature, usd, atMs } of (await memory.read()).saved)
    if (atMs > now - DAY_MS) bySignature.set(txSignature, usd);
  for (const name of FLOWS) {
    const left = await unfinishedOf<unknown, { breakdown: WrapBreakdown }>(storage, name, wallet);
    if (left?.inFlight) bySignature.set(signatureOf(left), worthOf(left.inFlight.about.breakdown));
  }
  const moves = await movesOfADay(roundup, storage, await roundup.serviceWallet(), now);
  if (!moves) return null;
  for (const item of moves)
    if (item.type === "round_up") bySignature.set(item.txSignature, bySignature.get(item.txSignature) ?? usdOf(item));
  return [...bySignature.values()].reduce((sum, usd) => sum + usd, 0);

  function usdOf({ amounts, serviceFeeLamports, priceUsd }: Activity["items"][number]): number {
    // In SOL: whatever token somebody sent along with one is none of it.
    const saved = Number(amounts.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0);
    return lamportsToUsd(Math.max(0, saved) + (serviceFeeLamports ?? 0), priceUsd ?? solPriceUsd);
  }
}

/** The first signature of what is in flight names it. */
const signatureOf = ({ inFlight }: FlowRecord<unknown, unknown>) =>
  bs58.encode(fromBase64(inFlight!.signed)!.subarray(1, 65));
