import pMap from "p-map";
import type { DataOf, InputOf } from "../../../contracts/define";
import type { getActivityContract } from "../../../contracts/get-activity";
import { type Activity, decodeActivity, findValuedAmounts, isUntouched } from "../../../domain/activity";
import { findAssetByMint } from "../../../domain/assets";
import { fromMicroUsd } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { listAmounts, toBalanceChanges } from "../amounts";
import { computeValue, createPastPriceReader, type PriceMoment, type Value } from "../prices/past-price";
import { readPricesWhenRelayed } from "../relay/relay-records";
import { tolerate } from "../tolerate";

type History = DataOf<typeof getActivityContract>;
type Item = History["items"][number];

const DEFAULT_LIMIT = 20;
/** Transactions of one page that are read in parallel. */
const PARALLEL_READS = 6;

/** Limit of node calls for one answer, including the call for the signatures. */
const MAX_NODE_CALLS = 60;

/**
 * Strangers can name a wallet in any number of transactions. A transaction that did not touch the wallet is remembered
 * this long, and not read again.
 */
const UNTOUCHED_TTL_MS = DAY_MS;
const MAX_REMEMBERED_UNTOUCHED = 100;
const toUntouchedKey = (address: string) => `untouched:${address}`;

/** Returns one page of a wallet's activity. Skips transactions that only name the wallet, within the limit of calls. */
export async function readActivity(deps: Deps, input: InputOf<typeof getActivityContract>): Promise<History> {
  const { address, limit = DEFAULT_LIMIT, before } = input;
  // The last of MAX_NODE_CALLS signatures is not read, because the listing was one call. It shows that more follow.
  const [entries, knownUntouched] = await Promise.all([
    deps.rpc.readSignatures(address, { limit: MAX_NODE_CALLS, ...(before && { before }) }),
    tolerate(deps.kv.get<string[]>(toUntouchedKey(address))),
  ]);
  const readableEntries = entries.slice(0, MAX_NODE_CALLS - 1);
  const unreadEntries = readableEntries.filter(({ signature }) => !knownUntouched?.includes(signature));
  const items: Item[] = [];
  const untouchedSignatures: string[] = [];
  let readCount = 0;
  while (items.length < limit && readCount < unreadEntries.length) {
    const chunkSize = readCount === 0 ? limit : Math.max(limit - items.length, PARALLEL_READS);
    for (const item of await decodeAll(deps, address, unreadEntries.slice(readCount, readCount + chunkSize))) {
      if (items.length === limit) break;
      if (item) items.push(item);
      else untouchedSignatures.push(unreadEntries[readCount]!.signature);
      readCount++;
    }
  }
  if (untouchedSignatures.length > 0) {
    const remembered = [...untouchedSignatures, ...(knownUntouched ?? [])].slice(0, MAX_REMEMBERED_UNTOUCHED);
    await tolerate(deps.kv.set(toUntouchedKey(address), remembered, UNTOUCHED_TTL_MS));
  }
  const lastEntry =
    readCount < unreadEntries.length
      ? unreadEntries[readCount - 1]
      : entries.length > readableEntries.length
        ? readableEntries.at(-1)
        : null;
  return { walletAddress: address, network: deps.network, items, nextBefore: lastEntry?.signature ?? null };
}

/** Decodes entries in order. Returns null for one that neither changed the wallet's holdings nor was paid by it. */
async function decodeAll(deps: Deps, address: string, entries: HistoryEntry[]): Promise<(Item | null)[]> {
  const signatures = entries.map(({ signature }) => signature);
  const [transactions, relayPrices] = await Promise.all([
    pMap(signatures, (signature) => deps.rpc.readTransaction(signature), { concurrency: PARALLEL_READS }),
    readPricesWhenRelayed(deps, signatures),
  ]);
  const readPastPrice = createPastPriceReader(deps);
  const decodeEntry = async (entry: HistoryEntry, i: number) => {
    const figures = transactions[i] ?? null;
    const activity = figures && decodeActivity(figures, address, deps.feeCollectors);
    if (activity && isUntouched(activity)) return null;
    const moment = { blockTime: entry.blockTime, relayPrices: relayPrices[i] ?? null };
    const value = activity && (await valueActivity(readPastPrice, activity, moment));
    return toItem(entry, activity, moment.relayPrices, value);
  };
  return Promise.all(entries.map(decodeEntry));
}

/** Values an activity at past prices only. Returns null if it has no value, or if any price is unknown. */
async function valueActivity(
  readPastPrice: ReturnType<typeof createPastPriceReader>,
  activity: Activity,
  moment: PriceMoment,
): Promise<Value | null> {
  const amounts = findValuedAmounts(activity);
  if (!amounts) return null;
  const value = await computeValue(listAmounts(amounts), async (mint) => {
    const asset = findAssetByMint(mint);
    const price = asset && (await readPastPrice(asset, moment));
    return price === "unpriced" ? null : price;
  });
  return value === "unpriced" ? null : value;
}

function toItem(
  { signature, slot, blockTime, error }: HistoryEntry,
  activity: Activity | null,
  relayPrices: Prices["usd"] | null,
  value: Value | null,
): Item {
  return {
    txSignature: signature,
    type: activity?.type ?? "other",
    status: error === null ? "confirmed" : "failed",
    slot,
    time: blockTime === null ? null : new Date(blockTime * 1000).toISOString(),
    amounts: activity ? toBalanceChanges(activity) : [],
    tokenAccountDepositLamports: Number(activity?.depositChangeLamports ?? 0n),
    networkFeeLamports: toNumberOrNull(activity?.networkFeeLamports),
    serviceFeeLamports: toNumberOrNull(activity?.serviceFeeLamports),
    topup: activity?.isTopup ?? false,
    referenceHash: activity?.referenceHash ?? null,
    usdValue: value && fromMicroUsd(value.microUsd),
    estimated: value?.estimated ?? false,
    priceUsd: relayPrices?.SOL ?? null,
  };
}

const toNumberOrNull = (lamports: bigint | null | undefined) => (lamports == null ? null : Number(lamports));
