import { statSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { openLmdbStore } from "../../lib/clients/store/kv-lmdb";
import { buildTopupContract } from "../../lib/contracts/build-topup";
import { buildWrapBatchContract } from "../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../lib/contracts/get-spending";
import type { Json } from "../../lib/ports/json";
import type { KvStore } from "../../lib/ports/kv-store";
import { buildTopup } from "../../lib/services/build-topup";
import { buildWrapBatch } from "../../lib/services/build-wrap-batch";
import { getSpending } from "../../lib/services/get-spending";
import { inputOf } from "../support/client/contract-input";
import { fakeDeps, pricesAt } from "../support/fakes/fake-deps";
import { manualClock } from "../support/fakes/manual-clock";
import { signTransaction } from "../support/fixtures/test-wallets";
import { memoryStore } from "../support/store/memory-store";
import { startRedis } from "../support/store/redis-server";
import { openRedisStore } from "../support/store/redis-store";
import { user } from "../support/worlds/relay-rig";
import { type SpendingWorld, spendingWorld } from "../support/worlds/spending-world";
import type { Check } from "./report";

/*
 * Counts the bytes that the store keeps for one wallet. The wallet pays three times a day, saves the change once a day
 * and tops up once a week. The services run on staged time, and what is left at the end is written to a real Redis and
 * a real LMDB, once for each of many wallets.
 */

const DAYS = 400;
const DAY_MS = 86_400_000;
/** Wallets written to each store. One wallet alone would measure the store's own pages. */
const COPIES = 1_000;
const MOST_BYTES = 20_000;
/** Limit for a claim that never expires. */
const MOST_CLAIM_BYTES = 100;
/** As long as the prices of real sources. */
const PRICES_USD = { BTC: 97_412.18403712, ETH: 3_914.70281934, SOL: 152.30418277, USDC: 0.99989114, USDT: 0.99951327 };
const CONTEXT = { caller: { kind: "wallet", wallet: user.address } } as const;
/** Records that all wallets share. */
const SHARED = /^(valid-until|first-posting|prices-of|sign-in-secret)/;

interface KeptRecord {
  key: string;
  value: Json;
  /** Ms until it expires; null if it never does. */
  ttlMs: number | null;
}

export interface KeptFigures {
  /** Records and bytes of keys and values, by kind of record. */
  kinds: { kind: string; records: number; bytes: number }[];
  /** Bytes of one wallet in the store. Redis is null when this machine has no redis-server. */
  redis: number | null;
  lmdb: number;
  /** Bytes of key and value of the largest claim that never expires. */
  claim: number;
}

/** Measures what one wallet leaves in each store. */
export async function measureKept(folder: string, days = DAYS): Promise<KeptFigures> {
  const records = await useWallet(days);
  const claims = records.filter(({ key, ttlMs }) => key.startsWith("claim:") && ttlMs === null);
  return {
    kinds: sumKinds(records),
    redis: await bytesInRedis(records),
    lmdb: await bytesInLmdb(records, join(folder, "kept")),
    claim: Math.max(...claims.map(bytesOf)),
  };
}

/** Uses a wallet for `days` days. @returns what the store still holds of it right after the last saving */
async function useWallet(days: number): Promise<KeptRecord[]> {
  const expiries = new Map<string, number | null>();
  const clock = manualClock();
  const store = memoryStore(clock);
  const world = await spendingWorld(fakeDeps(() => noteExpiries(store, expiries, clock.now), clock));
  for (let day = 0; day < days; day++) {
    for (let payment = 0; payment < 3; payment++) world.pay(3.37 + payment);
    await saveDay(world);
    if (day % 7 === 0) await topUp(world);
    if (day < days - 1) await clock.advance(DAY_MS - (clock.now() % DAY_MS));
  }
  const records: KeptRecord[] = [];
  for (const [key, expiresAt] of expiries) {
    const value = SHARED.test(key) ? null : await store.get<Json>(key);
    if (value !== null) records.push({ key, value, ttlMs: expiresAt === null ? null : expiresAt - clock.now() });
  }
  return records;
}

async function saveDay(world: SpendingWorld): Promise<void> {
  const { deps, service } = world;
  deps.quoted.current = pricesAt(deps.clock.now(), { usd: PRICES_USD });
  const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
  const { batches, savedThrough } = await getSpending(
    deps,
    inputOf(getSpendingContract, { address: user.address, serviceWallet: service }),
    CONTEXT,
  );
  const after = savedThrough ?? "none";
  const input = inputOf(buildWrapBatchContract, { ...batches[0]!, ...wallets, after, plan: "forest" });
  await post(world, (await buildWrapBatch(deps, input, CONTEXT)).transaction!.base64);
}

async function topUp(world: SpendingWorld): Promise<void> {
  const { deps, service } = world;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
  const period = isoWeek(deps.clock.now());
  deps.quoted.current = pricesAt(deps.clock.now(), { usd: PRICES_USD });
  const built = await buildTopup(deps, inputOf(buildTopupContract, { amountUsd: 5, period, ...wallets }));
  await post(world, built.transaction!.base64);
}

async function post(world: SpendingWorld, base64: string): Promise<void> {
  const refusal = await world.send(signTransaction(Buffer.from(base64, "base64"), user));
  if (refusal !== null) throw new Error(`a saving was refused: ${refusal}`);
}

/** Returns the ISO 8601 week of a time, such as 2026-W47. */
function isoWeek(time: number): string {
  const date = new Date(time);
  const thursday = new Date(time + (4 - (date.getUTCDay() || 7)) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * DAY_MS)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}

/** Notes when each written key expires; null if it never does. */
function noteExpiries(store: KvStore, expiries: Map<string, number | null>, now: () => number): KvStore {
  const note = (key: string, ttlMs: number | undefined) => {
    expiries.set(key, ttlMs === undefined ? null : now() + ttlMs);
  };
  return {
    ...store,
    async set(key, value, ttlMs) {
      await store.set(key, value, ttlMs);
      note(key, ttlMs);
    },
    async setIfAbsent(key, value, ttlMs) {
      const wrote = await store.setIfAbsent(key, value, ttlMs);
      if (wrote) note(key, ttlMs);
      return wrote;
    },
    async replace(key, expected, value, ttlMs) {
      const wrote = await store.replace(key, expected, value, ttlMs);
      if (wrote) note(key, ttlMs);
      return wrote;
    },
  };
}

function sumKinds(records: KeptRecord[]): KeptFigures["kinds"] {
  const kinds = new Map<string, { records: number; bytes: number }>();
  for (const one of records) {
    const kind = /^[a-z-]+/.exec(one.key)?.[0] ?? one.key;
    const sum = kinds.get(kind) ?? { records: 0, bytes: 0 };
    kinds.set(kind, { records: sum.records + 1, bytes: sum.bytes + bytesOf(one) });
  }
  return [...kinds].map(([kind, sum]) => ({ kind, ...sum })).sort((a, b) => b.bytes - a.bytes);
}

const bytesOf = ({ key, value }: KeptRecord) => key.length + JSON.stringify(value).length;

async function bytesInRedis(records: KeptRecord[]): Promise<number | null> {
  const server = await startRedis();
  if (!server) return null;
  const { kv } = openRedisStore(server.port);
  const client = new Redis({ port: server.port, protocol: 2 });
  const used = async () => Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))![1]);
  try {
    await kv.ping();
    const before = await used();
    await writeCopies(kv, records);
    return Math.round(((await used()) - before) / COPIES);
  } finally {
    await kv.close();
    client.disconnect();
    await server.stop();
  }
}

async function bytesInLmdb(records: KeptRecord[], path: string): Promise<number> {
  const kv = openLmdbStore({ path, clock: { now: Date.now } });
  try {
    await kv.ping();
    const size = () => statSync(join(path, "data.mdb")).size;
    const before = size();
    await writeCopies(kv, records);
    return Math.round((size() - before) / COPIES);
  } finally {
    await kv.close();
  }
}

async function writeCopies(kv: KvStore, records: KeptRecord[]): Promise<void> {
  for (let copy = 0; copy < COPIES; copy++)
    await Promise.all(
      records.map((one) => copyOf(one, copy)).map(({ key, value, ttlMs }) => kv.set(key, value, ttlMs ?? undefined)),
    );
}

/** Returns the record of another wallet: its addresses, signatures and hashes differ and are as long. */
function copyOf({ key, value, ttlMs }: KeptRecord, copy: number): KeptRecord {
  const mark = copy.toString(36).padStart(4, "1");
  const change = (text: string) => text.replace(/[A-Za-z0-9_-]{20,}/g, (long) => mark + long.slice(mark.length));
  return { key: change(key), value: JSON.parse(change(JSON.stringify(value))), ttlMs };
}

export function keptChecks({ redis, lmdb, claim }: KeptFigures): Check[] {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const check = (store: string, bytes: number): Check => ({
    name: `kept for a wallet after ${DAYS} days, ${store}`,
    target: `≤ ${kilobytes(MOST_BYTES)}`,
    found: kilobytes(bytes),
    ok: bytes <= MOST_BYTES,
  });
  return [
    ...(redis === null ? [] : [check("Redis", redis)]),
    check("LMDB", lmdb),
    {
      name: "its largest claim that never expires",
      target: `≤ ${MOST_CLAIM_BYTES} B`,
      found: `${claim} B`,
      ok: claim <= MOST_CLAIM_BYTES,
    },
  ];
}
