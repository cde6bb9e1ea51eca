import { buildTopupContract } from "../../lib/contracts/build-topup";
import { buildWrapBatchContract } from "../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../lib/contracts/get-spending";
import { toIsoWeek } from "../../lib/domain/marks";
import { DAY_MS } from "../../lib/domain/time";
import type { Json } from "../../lib/ports/json";
import type { KvStore } from "../../lib/ports/kv-store";
import { buildTopup } from "../../lib/services/build-topup";
import { buildWrapBatch } from "../../lib/services/build-wrap-batch";
import { getSpending } from "../../lib/services/get-spending";
import { parseInput } from "../support/client/contract-input";
import { createFakeDeps, setPrices } from "../support/fakes/fake-deps";
import { createManualClock } from "../support/fakes/manual-clock";
import { signTransaction } from "../support/fixtures/test-wallets";
import { createMemoryStore } from "../support/store/memory-store";
import { user } from "../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../support/worlds/spending-world";

/*
 * Simulates one wallet in staged time with the real services, and lists its records in the store. The wallet pays three
 * times a day, saves the change once a day and tops up once a week.
 */

/** Prices with as many digits as real sources give. */
const PRICES_USD = { BTC: 97_412.18403712, ETH: 3_914.70281934, SOL: 152.30418277, USDC: 0.99989114, USDT: 0.99951327 };
/** Matches the keys of records that all wallets share. */
const SHARED_KEY_PATTERN = /^(valid-until|first-posting|prices-of|sign-in-secret)/;

/** The request context of the signed-in user, who calls every service. */
const USER_CONTEXT = { caller: { kind: "wallet", wallet: user.address } } as const;

export interface StoredRecord {
  key: string;
  value: Json;
  /** Time until the record expires, ms; null if it never expires. */
  ttlMs: number | null;
}

/** Simulates a wallet for `days` days. @returns its records right after the transactions of the last day */
export async function simulateWallet(days: number): Promise<StoredRecord[]> {
  const expiries = new Map<string, number | null>();
  const clock = createManualClock();
  const store = createMemoryStore(clock);
  const world = await stageSpending(
    createFakeDeps(() => createExpiryRecordingStore(store, expiries, clock.now), clock),
  );
  for (let day = 0; day < days; day++) {
    for (let payment = 0; payment < 3; payment++) world.pay(3.37 + payment);
    await saveDayPayments(world);
    if (day % 7 === 0) await topUp(world);
    if (day < days - 1) await clock.advance(DAY_MS - (clock.now() % DAY_MS));
  }
  return listRecords(store, expiries, clock.now());
}

async function listRecords(store: KvStore, expiries: Map<string, number | null>, now: number): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const [key, expiresAt] of expiries) {
    const value = SHARED_KEY_PATTERN.test(key) ? null : await store.get<Json>(key);
    if (value !== null) records.push({ key, value, ttlMs: expiresAt === null ? null : expiresAt - now });
  }
  return records;
}

async function saveDayPayments(world: SpendingWorld): Promise<void> {
  const { deps, serviceWallet } = world;
  setPrices(deps, { usd: PRICES_USD });
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  const { batches } = await getSpending(
    deps,
    parseInput(getSpendingContract, { address: user.address, serviceWallet }),
  );
  const input = parseInput(buildWrapBatchContract, { ...batches[0]!, ...wallets, plan: "forest" });
  await signAndPost(world, (await buildWrapBatch(deps, input, USER_CONTEXT)).transaction!.base64);
}

async function topUp(world: SpendingWorld): Promise<void> {
  const { deps, serviceWallet } = world;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  const period = toIsoWeek(deps.clock.now());
  setPrices(deps, { usd: PRICES_USD });
  const topup = await buildTopup(deps, parseInput(buildTopupContract, { amountUsd: 5, period, ...wallets }));
  await signAndPost(world, topup.transaction!.base64);
}

/** Signs a build and posts it. @throws Error when the service refuses it */
async function signAndPost(world: SpendingWorld, base64: string): Promise<void> {
  const refusal = await world.postAndFindError(signTransaction(Buffer.from(base64, "base64"), user));
  if (refusal !== null) throw new Error(`a transaction was refused: ${refusal}`);
}

/** Wraps the store and records when each written key expires: ms since the epoch, or null for never. */
function createExpiryRecordingStore(store: KvStore, expiries: Map<string, number | null>, now: () => number): KvStore {
  const recordExpiry = (key: string, ttlMs: number | undefined) => {
    expiries.set(key, ttlMs === undefined ? null : now() + ttlMs);
  };
  return {
    ...store,
    async set(key, value, ttlMs) {
      await store.set(key, value, ttlMs);
      recordExpiry(key, ttlMs);
    },
    async setIfAbsent(key, value, ttlMs) {
      const isWritten = await store.setIfAbsent(key, value, ttlMs);
      if (isWritten) recordExpiry(key, ttlMs);
      return isWritten;
    },
    async replace(key, expected, value, ttlMs) {
      const isWritten = await store.replace(key, expected, value, ttlMs);
      if (isWritten) recordExpiry(key, ttlMs);
      return isWritten;
    },
  };
}

const BASE58_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Returns four base58 characters that identify a wallet. @param index below 11 million */
export const toWalletTag = (index: number) =>
  [195_112, 3_364, 58, 1].map((unit) => BASE58_ALPHABET[Math.floor(index / unit) % 58]).join("");

/** Writes the tag over the start of each address, signature and hash, which keeps the length of the text. */
export const tagText = (text: string, tag: string) =>
  text.replace(/[A-Za-z0-9_+/-]{20,}/g, (match) => tag + match.slice(tag.length));

/** Applies `tagText` to every text of a JSON value. */
export const tagJson = <T extends Json>(value: T, tag: string): T => JSON.parse(tagText(JSON.stringify(value), tag));
