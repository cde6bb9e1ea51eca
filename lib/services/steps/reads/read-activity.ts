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

type ActivityPage = DataOf<typeof getActivityContract>;
type ActivityItem = ActivityPage["items"][number];

const DEFAULT_LIMIT = 20;
/** Maximum number of transactions read in parallel. */
const MAX_PARALLEL_READS = 6;

/** Limit of node calls for one answer, including the call for the signatures. */
const MAX_NODE_CALLS = 60;

/**
 * Strangers can name a wallet in any number of transactions. The store remembers the last ones that did not touch the
 * wallet, so that they are not read again.
 */
const MAX_REMEMBERED_UNTOUCHED = 100;
const { toKey: toUntouchedKey, ttlMs: UNTOUCHED_TTL_MS } = STORE_KEYS.untouched;

/** Returns one page of a wallet's activity. Skips transactions that only name the wallet, within the limit of calls. */
export async function readActivity(deps: Deps, input: InputOf<typeof getActivityContract>): Promise<ActivityPage> {
  const { address, limit = DEFAULT_LIMIT, before } = input;
  // The last of MAX_NODE_CALLS signatures is not read, because the listing is a call too. It shows that more follow.
  const [entries, knownUntouched] = await Promise.all([
    deps.rpc.readSignatures(address, { limit: MAX_NODE_CALLS, ...(before && { before }) }),
    awaitOrNull(deps.kv.get<string[]>(toUntouchedKey(address))),
  ]);
  const readableEntries = entries.slice(0, MAX_NODE_CALLS - 1);
  const unreadEntries = readableEntries.filter(({ signature }) => !knownUntouched?.includes(signature));
  const items: ActivityItem[] = [];
  const untouchedSignatures: string[] = [];
  let readCount = 0;
  while (items.length < limit && readCount < unreadEntries.length) {
    // The first chunk fills the page, unless some of its transactions did not touch the wallet. Later chunks replace
    // those transactions.
    const chunkSize = readCount === 0 ? limit : Math.max(limit - items.length, MAX_PARALLEL_READS);
    for (const item of await decodeEntries(deps, address, unreadEntries.slice(readCount, readCount + chunkSize))) {
      if (items.length === limit) break;
      if (item) items.push(item);
      else untouchedSignatures.push(unreadEntries[readCount]!.signature);
      readCount++;
    }
  }
  if (untouchedSignatures.length > 0) {
    const signaturesToRemember = [...untouchedSignatures, ...(knownUntouched ?? [])].slice(0, MAX_REMEMBERED_UNTOUCHED);
    await awaitOrNull(deps.kv.set(toUntouchedKey(address), signaturesToRemember, UNTOUCHED_TTL_MS));
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
async function decodeEntries(deps: Deps, address: string, entries: HistoryEntry[]): Promise<(ActivityItem | null)[]> {
  const signatures = entries.map(({ signature }) => signature);
  const [transactions, relayPrices] = await Promise.all([
    pMap(signatures, (signature) => deps.rpc.readTransaction(signature), { concurrency: MAX_PARALLEL_READS }),
    readPricesWhenRelayed(deps, signatures),
  ]);
  const readPrice = createPriceReader(deps, DOLLAR_MINTS);
  const decodeEntry = async (entry: HistoryEntry, i: number) => {
    const transaction = transactions[i] ?? null;
    const figures = transaction === "unsupported" ? null : transaction;
    const activity = figures && decodeActivity(figures, address, deps.feeCollectors);
    if (activity && isWalletUntouched(activity)) return null;
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
    serviceFeeLamports: toNumberOrNull(activity?.serviceFeeLamports),
    topup: activity?.isTopup ?? false,
    referenceHash: activity?.referenceHash ?? null,
    usdValue: value && fromMicroUsd(value.microUsd),
    estimated: value?.isEstimated ?? false,
    pulled: toPulled(activity?.pulledBy),
    priceUsd: relayPrices?.SOL ?? null,
  };
}

const toNumberOrNull = (lamports: bigint | null | undefined) => (lamports == null ? null : Number(lamports));
