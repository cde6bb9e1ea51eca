import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { COMMITMENT } from "../../solana/commitment";
import { computeHighestRent, computeLowestRent } from "../../solana/rent";
import { type Cache, createCache } from "../process/cache";
import type { Bucket } from "../quota/bucket";
import { createSharedValues } from "../store/shared-values";
import type { JsonRpc } from "./json-rpc";

/**
 * How long the shared store and each process keep an answer, ms, so it is served for twice as long at most. Rent changes
 * in steps that are announced months ahead.
 */
const { ttlMs: RENT_TTL_MS } = STORE_KEYS.rent;

interface RentCacheOptions {
  rpc: JsonRpc;
  clock: Clock;
  bucket: Bucket;
  /** The store of several instances, which share the answers. */
  kv: Pick<KvStore, "get" | "set"> | undefined;
}

/** Creates the cache of rent-exempt minimums, in lamports, by the number of bytes as text. */
export function createRentCache({ rpc, clock, bucket, kv }: RentCacheOptions): Cache<bigint> {
  const sharedRents = kv && createSharedValues({ kv, family: STORE_KEYS.rent, schema: z.int() });
  return createCache({
    ttlMs: RENT_TTL_MS,
    maxEntries: 100,
    clock,
    onJoin: bucket.join,
    async load(key, quotaUser) {
      const byteCount = BigInt(key);
      const storedRent = await sharedRents?.read(key);
      if (storedRent != null && isPlausibleRent(storedRent, byteCount)) return BigInt(storedRent);
      await bucket.take(quotaUser);
      const lamports = await readRentLamports(rpc, byteCount);
      await sharedRents?.write(key, lamports);
      return BigInt(lamports);
    },
  });
}

/**
 * Reads the rent-exempt minimum. The bounds are checked while the pool of nodes reads the answer, so that it asks the
 * next node when one returns a wrong value.
 */
async function readRentLamports(rpc: JsonRpc, byteCount: bigint): Promise<number> {
  const Rent = z.int().refine((lamports) => isPlausibleRent(lamports, byteCount));
  const params = [Number(byteCount), { commitment: COMMITMENT }];
  return rpc.call("getMinimumBalanceForRentExemption", params, Rent);
}

const isPlausibleRent = (lamports: number, byteCount: bigint): boolean =>
  computeLowestRent(byteCount) <= lamports && lamports <= computeHighestRent(byteCount);
