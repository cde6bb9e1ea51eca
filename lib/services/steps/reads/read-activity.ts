import pMap from "p-map";
import type { DataOf, InputOf } from "../../../contracts/define";
import type { getActivityContract } from "../../../contracts/get-activity";
import { type Activity, decodeActivity, findValuedAmounts, isWalletUntouched } from "../../../domain/activity";
import { DOLLAR_MINTS } from "../../../domain/assets";
import { fromMicroUsd } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import { STORE_KEYS } from "../../../domain/store-keys";
import { awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { readPricesWhenRelayed } from "../../records/landings";
import { listAmounts, toBalanceChanges, toPulled } from "../amounts";
import {
  computeValue,
  createPriceReader,
  type DollarValue,
  type PriceMoment,
  type PriceReader,
} from "../prices/payment-price";
import { type ActivityEntry, findPageEnd, listActivityEntries } from "./activity-entries";

type ActivityPage = DataOf<typeof getActivityContract>;
type ActivityItem = ActivityPage["items"][number];

const DEFAULT_LIMIT = 20;
const MAX_PARALLEL_READS = 6;

/** Limit of node calls for one answer. */
const MAX_NODE_CALLS = 60;
/** The wallet's list, the dollar accounts, their five lists, and the transaction at which a page starts. */
const MAX_LISTING_CALLS = 8;
const MAX_READS = MAX_NODE_CALLS - MAX_LISTING_CALLS;

/**
 * Strangers can name a wallet in any number of transactions. The store remembers the last ones that did not touch the
 * wallet, so that they are not read again.
 */
const MAX_REMEMBERED_UNTOUCHED = 100;
const { toKey: toUntouchedKey, ttlMs: UNTOUCHED_TTL_MS } = STORE_KEYS.untouched;

/**
 * Returns one page of a wallet's activity. Skips transactions that only name the wallet, within the limit of calls. A
 * transaction of which only a dollar account's history knows is listed if a delegate pulled a payment, or if it saved USDC.
 */
export async function readActivity(deps: Deps, input: InputOf<typeof getActivityContract>): Promise<ActivityPage> {
  const { address, limit = DEFAULT_LIMIT, before } = input;
  // The last signature is not read. It shows that more follow.
  const [{ entries, hasMore }, knownUntouched] = await Promise.all([
    listActivityEntries(deps, address, MAX_READS + 1, before),
    awaitOrNull(deps.kv.get<string[]>(toUntouchedKey(address))),
  ]);
  const unreadEntries = entries.filter(({ signature }) => !knownUntouched?.includes(signature));
  const decodedItems: (ActivityItem | null)[] = [];
  const countItems = () => decodedItems.filter((item) => item !== null).length;
  while (countItems() < limit && decodedItems.length < unreadEntries.length) {
    // The first chunk fills the page, unless some of its transactions did not touch the wallet. Later chunks replace
    // those transactions.
    const start = decodedItems.length;
    const chunkSize = start === 0 ? limit : Math.max(limit - countItems(), MAX_PARALLEL_READS);
    decodedItems.push(...(await decodeEntries(deps, address, unreadEntries.slice(start, start + chunkSize))));
  }
  const readCount = findPageEnd(unreadEntries, findFullCount(decodedItems, limit));
  if (readCount > decodedItems.length)
    decodedItems.push(...(await decodeEntries(deps, address, unreadEntries.slice(decodedItems.length, readCount))));
  const pageItems = decodedItems.slice(0, readCount);
  const untouchedSignatures = pageItems.flatMap((item, i) => (item ? [] : unreadEntries[i]!.signature));
  if (untouchedSignatures.length > 0) {
    const signaturesToRemember = [...untouchedSignatures, ...(knownUntouched ?? [])].slice(0, MAX_REMEMBERED_UNTOUCHED);
    await awaitOrNull(deps.kv.set(toUntouchedKey(address), signaturesToRemember, UNTOUCHED_TTL_MS));
  }
  const lastEntry = readCount < unreadEntries.length ? unreadEntries[readCount - 1] : hasMore ? entries.at(-1) : null;
  const items = pageItems.filter((item) => item !== null);
  return { walletAddress: address, network: deps.network, items, nextBefore: lastEntry?.signature ?? null };
}

/** Returns how many of the decoded entries fill a page of `limit` items. */
function findFullCount(decodedItems: (ActivityItem | null)[], limit: number): number {
  let itemCount = 0;
  const lastIndex = decodedItems.findIndex((item) => item !== null && ++itemCount === limit);
  return lastIndex < 0 ? decodedItems.length : lastIndex + 1;
}

/** Decodes entries in order. Returns null for one that neither changed the wallet's holdings nor was paid by it. */
async function decodeEntries(deps: Deps, address: string, entries: ActivityEntry[]): Promise<(ActivityItem | null)[]> {
  const signatures = entries.map(({ signature }) => signature);
  const [transactions, relayPrices] = await Promise.all([
    pMap(signatures, (signature) => deps.rpc.readTransaction(signature), { concurrency: MAX_PARALLEL_READS }),
    readPricesWhenRelayed(deps, signatures),
  ]);
  const readPrice = createPriceReader(deps, DOLLAR_MINTS);
  const decodeEntry = async (entry: ActivityEntry, i: number) => {
    const transaction = transactions[i] ?? null;
    const figures = transaction === "unsupported" ? null : transaction;
    const activity = figures && decodeActivity(figures, address, deps.feeCollectors);
    if (entry.isOwn ? activity && isWalletUntouched(activity) : !activity?.pulledBy && !activity?.saving) return null;
    const moment = { blockTime: entry.blockTime, relayPrices: relayPrices[i] ?? null };
    const value = activity && (await valueActivity(readPrice, activity, moment));
    return toActivityItem(entry, activity, moment.relayPrices, value);
  };
  return Promise.all(entries.map(decodeEntry));
}

/**
 * Values an activity at past prices. Only dollar tokens may count without one. Returns null if it has no value, or if
 * any price is unknown.
 */
async function valueActivity(
  readPrice: PriceReader,
  activity: Activity,
  moment: PriceMoment,
): Promise<DollarValue | null> {
  const amounts = findValuedAmounts(activity);
  if (!amounts) return null;
  const value = await computeValue(listAmounts(amounts), async (mint) => {
    const price = await readPrice(mint, moment);
    return price === "unpriced" ? null : price;
  });
  return value === "unpriced" ? null : value;
}

function toActivityItem(
  { signature, slot, blockTime, error }: HistoryEntry,
  activity: Activity | null,
  relayPrices: Prices["usd"] | null,
  value: DollarValue | null,
): ActivityItem {
  return {
    txSignature: signature,
    type: activity?.type ?? "other",
    status: error === null ? "confirmed" : "failed",
    slot,
    time: blockTime === null ? null : new Date(blockTime * 1000).toISOString(),
    amounts: activity ? toBalanceChanges(activity) : [],
    tokenAccountDepositLamports: Number(activity?.depositChangeLamports ?? 0n),
    networkFeeLamports: toNumberOrNull(activity?.networkFeeLamports),
    serviceFeeLamports: toNumberOrNull(activity?.saving?.feeLamports),
    serviceFeeUnits: toNumberOrNull(activity?.saving?.feeUsdc),
    topup: activity?.isTopup ?? false,
    referenceHash: activity?.referenceHash ?? null,
    usdValue: value && fromMicroUsd(value.microUsd),
    estimated: value?.isEstimated ?? false,
    pulled: toPulled(activity?.pulledBy),
    priceUsd: relayPrices?.SOL ?? null,
  };
}

const toNumberOrNull = (lamports: bigint | null | undefined) => (lamports == null ? null : Number(lamports));
