import pMap from "p-map";
import type { DataOf, InputOf } from "../../../contracts/define";
import type { getActivityContract } from "../../../contracts/get-activity";
import {
  type Activity,
  type ActivityAmounts,
  decodeActivity,
  findValuedAmounts,
  isUntouched,
} from "../../../domain/activity";
import { type AssetSymbol, findAssetByMint } from "../../../domain/assets";
import { computeValueMicroUsd, fromMicroUsd } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { listAmounts, toBalanceChanges } from "../amounts";
import { readPricesWhenRelayed } from "../relay/relay-records";
import { tolerate } from "../tolerate";

type History = DataOf<typeof getActivityContract>;
type Item = History["items"][number];

const DEFAULT_LIMIT = 20;
/** Transactions of one page that are read in parallel. */
const PARALLEL_READS = 6;

/** Limit of node calls for one answer, including the call for the signatures. */
const MAX_CALLS = 60;

/**
 * Strangers can name a wallet in any number of transactions. A transaction that did not touch the wallet is remembered
 * this long, and not read again.
 */
const UNTOUCHED_TTL_MS = 86_400_000;
const MAX_UNTOUCHED = 100;
const toUntouchedKey = (address: string) => `untouched:${address}`;

/** Returns one page of a wallet's activity. Skips transactions that only name the wallet, within the limit of calls. */
export async function readActivity(deps: Deps, input: InputOf<typeof getActivityContract>): Promise<History> {
  const { address, limit = DEFAULT_LIMIT, before } = input;
  // The last signature is never read. It only shows that there is a next page.
  const [found, known] = await Promise.all([
    deps.rpc.readSignatures(address, { limit: MAX_CALLS, ...(before && { before }) }),
    tolerate(deps.kv.get<string[]>(toUntouchedKey(address))),
  ]);
  const readable = found.slice(0, MAX_CALLS - 1);
  const unread = readable.filter(({ signature }) => !known?.includes(signature));
  const items: Item[] = [];
  const untouched: HistoryEntry[] = [];
  let readCount = 0;
  while (items.length < limit && readCount < unread.length) {
    const size = readCount === 0 ? limit : Math.max(limit - items.length, PARALLEL_READS);
    for (const item of await decodeAll(deps, address, unread.slice(readCount, readCount + size))) {
      if (items.length === limit) break;
      if (item) items.push(item);
      else untouched.push(unread[readCount]!);
      readCount++;
    }
  }
  if (untouched.length > 0) await recordUntouched(deps, address, untouched, known ?? []);
  const last =
    readCount < unread.length ? unread[readCount - 1] : found.length > readable.length ? readable.at(-1) : null;
  return { walletAddress: address, network: deps.network, items, nextBefore: last?.signature ?? null };
}

/** @param known what was remembered before */
async function recordUntouched({ kv }: Deps, address: string, entries: HistoryEntry[], known: string[]) {
  const all = [...entries.map(({ signature }) => signature), ...known].slice(0, MAX_UNTOUCHED);
  await tolerate(kv.set(toUntouchedKey(address), all, UNTOUCHED_TTL_MS));
}

/** Decodes entries in order. Null for a transaction that neither changed the wallet's holdings nor was paid by it. */
async function decodeAll(deps: Deps, address: string, entries: HistoryEntry[]): Promise<(Item | null)[]> {
  const signatures = entries.map(({ signature }) => signature);
  const [transactions, prices] = await Promise.all([
    pMap(signatures, (signature) => deps.rpc.readTransaction(signature), { concurrency: PARALLEL_READS }),
    readPricesWhenRelayed(deps, signatures),
  ]);
  const decode = (entry: HistoryEntry, i: number) => {
    const figures = transactions[i] ?? null;
    const activity = figures && decodeActivity(figures, address, deps.feeCollectors);
    return activity && isUntouched(activity) ? null : toItem(deps, entry, activity, prices[i] ?? null);
  };
  return Promise.all(entries.map(decode));
}

async function toItem(
  deps: Deps,
  entry: HistoryEntry,
  activity: Activity | null,
  usd: Prices["usd"] | null,
): Promise<Item> {
  const { signature, slot, blockTime, error } = entry;
  const valued = activity && findValuedAmounts(activity);
  const canEstimate = valued !== null && usd === null && blockTime !== null;
  const estimate = canEstimate ? await estimateValueUsd(deps, valued, blockTime * 1000) : null;
  return {
    txSignature: signature,
    type: activity?.type ?? "other",
    status: error === null ? "confirmed" : "failed",
    slot,
    time: blockTime === null ? null : new Date(blockTime * 1000).toISOString(),
    amounts: activity ? toBalanceChanges(activity) : [],
    tokenAccountDepositLamports: Number(activity?.depositChange ?? 0n),
    networkFeeLamports: toNumber(activity?.networkFee),
    serviceFeeLamports: toNumber(activity?.serviceFee),
    topup: activity?.topup ?? false,
    referenceHash: activity?.referenceHash ?? null,
    usdValue: valued && usd ? computeValueUsd(valued, usd) : estimate,
    estimated: estimate !== null,
    priceUsd: usd?.SOL ?? null,
  };
}

const toNumber = (lamports: bigint | null | undefined) =>
  lamports === null || lamports === undefined ? null : Number(lamports);

/** US dollars for one coin. */
type AssetPrices = Partial<Record<AssetSymbol, number>>;

/** Returns the value in US dollars, or null if any part has no price in `usd`. */
function computeValueUsd(valued: ActivityAmounts, usd: AssetPrices): number | null {
  let microUsd = 0n;
  for (const { mint, amount, decimals } of listAmounts(valued)) {
    const asset = findAssetByMint(mint);
    const price = asset && usd[asset];
    if (price === null || price === undefined) return null;
    microUsd += computeValueMicroUsd(amount, decimals, price);
  }
  return fromMicroUsd(microUsd);
}

/** Returns the value in USD at the daily prices nearest to `time`, ms since the epoch. Null if any is unknown. */
async function estimateValueUsd({ priceHistory }: Deps, valued: ActivityAmounts, time: number): Promise<number | null> {
  const assets = [...new Set(listAmounts(valued).map(({ mint }) => findAssetByMint(mint)))];
  const prices = await Promise.all(
    assets.map(async (asset) => [asset, asset && (await tolerate(priceHistory.readAt(asset, time)))] as const),
  );
  return computeValueUsd(valued, Object.fromEntries(prices.filter(([, usd]) => usd !== null)));
}
