import type { AssetSymbol } from "../../domain/assets";
import type { Prices } from "../../domain/prices/prices";
import { STORE_KEYS, toShortHash } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";
import type { Json } from "../../ports/json";
import type { SignedTransaction } from "../../solana/transactions";
import type { ValidUntil } from "./message-records";
import type { OpenFeed } from "./pending";

/* Records of landed transactions. A recorded outcome needs no node. */

/**
 * The transaction is in a confirmed block. `error` is null if it succeeded. `isRecorded` is true if the store has the
 * outcome, and the transaction's claims have ended.
 */
export interface LandedOutcome {
  state: "landed";
  slot: number;
  error: Json;
  status: "confirmed" | "finalized";
  isRecorded: boolean;
}

/** `usd` holds the prices at the landing of what the transaction may have moved. */
type RelayRecord = { slot: number; error: Json; usd: Prices["usd"] | null };

/** A record as stored: slot, error and the prices in this order, up to the last one that is known. */
const PRICE_ORDER = ["SOL", "BTC", "ETH", "USDC", "USDT"] as const satisfies AssetSymbol[];
type StoredRecord = [slot: number, error: Json, ...usd: (number | null)[]];

export const toRecordKey = (txSignature: string) => STORE_KEYS.landing.toKey(toShortHash(txSignature));

function encodeRecord({ slot, error, usd }: RelayRecord): StoredRecord {
  const lastIndex = PRICE_ORDER.findLastIndex((asset) => usd?.[asset] !== undefined);
  return [slot, error, ...PRICE_ORDER.slice(0, lastIndex + 1).map((asset) => usd?.[asset] ?? null)];
}

function decodeRecord([slot, error, ...usd]: StoredRecord): RelayRecord {
  const priceEntries = PRICE_ORDER.flatMap((asset, i) => (typeof usd[i] === "number" ? [[asset, usd[i]]] : []));
  return { slot, error, usd: usd.length > 0 ? (Object.fromEntries(priceEntries) as Prices["usd"]) : null };
}

export async function readRelayRecords({ kv }: Deps, txSignatures: string[]): Promise<(RelayRecord | null)[]> {
  if (txSignatures.length === 0) return [];
  const storedRecords = await kv.getMany<StoredRecord>(txSignatures.map(toRecordKey));
  return storedRecords.map((record) => record && decodeRecord(record));
}

/** Returns, for each transaction, the prices in USD at its landing; null if it was not relayed here, or without prices. */
export async function readPricesWhenRelayed(deps: Deps, txSignatures: string[]): Promise<(Prices["usd"] | null)[]> {
  return (await readRelayRecords(deps, txSignatures)).map((record) => record?.usd ?? null);
}

/**
 * Reads what the store knows of a posted transaction, all in one call. With several calls, an event could be written
 * between the reading of its record and of its feed's head, and the transaction would get a second event.
 * @returns `openFeeds`: the feeds that lack its event; `landedOutcome`: null without a record
 */
export async function readPostingState(
  { kv }: Deps,
  posting: { transaction: SignedTransaction; txSignature: string; feeds: readonly string[] },
) {
  const { txSignature, feeds, transaction } = posting;
  const [validUntil, record, ...feedValues] = await kv.getMany<ValidUntil | StoredRecord | number | true>([
    STORE_KEYS.lastValidHeight.toKey(transaction.decoded.message.recentBlockhash),
    toRecordKey(txSignature),
    ...feeds.flatMap((feed) => [STORE_KEYS.feedHead.toKey(feed), STORE_KEYS.eventOfExpired.toKey(txSignature, feed)]),
  ]);
  const openFeeds = feeds.flatMap((feed, i): OpenFeed[] => {
    const [head, hasEvent] = feedValues.slice(2 * i, 2 * i + 2);
    return hasEvent ? [] : [[feed, Number(head ?? 0)]];
  });
  return {
    validUntil: validUntil as ValidUntil | null,
    openFeeds,
    landedOutcome: record ? toRecordedOutcome(decodeRecord(record as StoredRecord)) : null,
  };
}

export async function findRecordedOutcomes(deps: Deps, txSignatures: string[]): Promise<(LandedOutcome | null)[]> {
  return (await readRelayRecords(deps, txSignatures)).map((record) => record && toRecordedOutcome(record));
}

function toRecordedOutcome({ slot, error }: RelayRecord): LandedOutcome {
  return { state: "landed", slot, error, status: "confirmed", isRecorded: true };
}

export const recordLanding = ({ kv }: Deps, txSignature: string, record: RelayRecord) =>
  kv.setIfAbsent(toRecordKey(txSignature), encodeRecord(record), STORE_KEYS.landing.ttlMs);
