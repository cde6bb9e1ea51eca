import { statSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { openLmdbStore } from "../../lib/clients/store/kv-lmdb";
import type { KvStore } from "../../lib/ports/kv-store";
import { startRedis } from "../support/store/redis-server";
import { openRedisStore } from "../support/store/redis-store";
import { type StoredRecord, simulateWallet, tagJson, tagText, toWalletTag } from "./wallet-use";

const DAY_COUNT = 400;
/** Number of wallets written to each store. With a single wallet, the store's own pages would dominate the result. */
const WALLET_COUNT = 1_000;

export type StorageFigures = Awaited<ReturnType<typeof measureStorage>>;

/**
 * Measures the bytes that the store needs for one wallet. Simulates a wallet for DAY_COUNT days. Then writes the remaining
 * records to a real Redis and a real LMDB, once for each of WALLET_COUNT wallets.
 */
export async function measureStorage(folder: string) {
  const records = await simulateWallet(DAY_COUNT);
  const claims = records.filter(({ key, ttlMs }) => key.startsWith("claim:") && ttlMs === null);
  return {
    kinds: sumByKind(records),
    /** Bytes of one wallet; null when this machine has no redis-server. */
    redisBytes: await measureRedisBytes(records),
    lmdbBytes: await measureLmdbBytes(records, join(folder, "kept")),
    /** Bytes of key and value of the largest claim that never expires. */
    claimBytes: Math.max(...claims.map(countBytes)),
  };
}

/** Returns the number of records, and the bytes of keys and values, by kind of record. */
function sumByKind(records: StoredRecord[]) {
  const kinds = new Map<string, { records: number; bytes: number }>();
  for (const record of records) {
    const kind = /^[a-z-]+/.exec(record.key)?.[0] ?? record.key;
    const sum = kinds.get(kind) ?? { records: 0, bytes: 0 };
    kinds.set(kind, { records: sum.records + 1, bytes: sum.bytes + countBytes(record) });
  }
  return [...kinds].map(([kind, sum]) => ({ kind, ...sum })).sort((a, b) => b.bytes - a.bytes);
}

const countBytes = ({ key, value }: StoredRecord) => key.length + JSON.stringify(value).length;

async function measureRedisBytes(records: StoredRecord[]): Promise<number | null> {
  const server = await startRedis();
  if (!server) return null;
  const { kv } = openRedisStore(server.port);
  const client = new Redis({ port: server.port, protocol: 2 });
  const readUsedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))![1]);
  try {
    await kv.ping();
    const bytesBefore = await readUsedMemory();
    await writeCopies(kv, records);
    return Math.round(((await readUsedMemory()) - bytesBefore) / WALLET_COUNT);
  } finally {
    await kv.close();
    client.disconnect();
    await server.stop();
  }
}

async function measureLmdbBytes(records: StoredRecord[], path: string): Promise<number> {
  const kv = openLmdbStore({ path, clock: { now: Date.now } });
  try {
    await kv.ping();
    const readFileSize = () => statSync(join(path, "data.mdb")).size;
    const bytesBefore = readFileSize();
    await writeCopies(kv, records);
    return Math.round((readFileSize() - bytesBefore) / WALLET_COUNT);
  } finally {
    await kv.close();
  }
}

async function writeCopies(kv: KvStore, records: StoredRecord[]): Promise<void> {
  for (let copy = 0; copy < WALLET_COUNT; copy++) {
    const tag = toWalletTag(copy);
    const writeRecord = ({ key, value, ttlMs }: StoredRecord) =>
      kv.set(tagText(key, tag), tagJson(value, tag), ttlMs ?? undefined);
    await Promise.all(records.map(writeRecord));
  }
}
