import { z } from "zod";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { computeHighestRent, computeLowestRent } from "../../solana/rent";
import { type Cache, createCache } from "../process/cache";
import type { Budget } from "../quota/budget";
import { createSharedValues } from "../store/shared-values";
import type { JsonRpc } from "./json-rpc";

/** How long an answer is served, ms. Rent changes in steps that are announced months ahead. */
const TTL_MS = 60_000;

interface RentCacheOptions {
  rpc: JsonRpc;
  clock: Clock;
  budget: Budget;
  /** The store of several instances, which share the answers. */
  kv: Pick<KvStore, "get" | "set"> | undefined;
}

/** Creates the cache of rent-exempt minimums, in lamports, by the number of bytes. */
export function createRentCache({ rpc, clock, budget, kv }: RentCacheOptions): Cache<bigint> {
  const sharedRents = kv && createSharedValues({ kv, keyPrefix: "rent", schema: z.int(), ttlMs: TTL_MS });
  return createCache({
    ttlMs: TTL_MS,
    maxEntries: 100,
    clock,
    onJoin: budget.join,
    async load(bytes, quotaUser) {
      const storedRent = await sharedRents?.read(bytes);
      if (storedRent != null && isPlausible(storedRent, bytes)) return BigInt(storedRent);
      await budget.take(quotaUser);
      const lamports = await readRent(rpc, bytes);
      await sharedRents?.write(bytes, lamports);
      return BigInt(lamports);
    },
  });
}

/**
 * Reads the rent minimum. The bounds are checked while the pool reads the answer, so that it asks the next node when
 * one returns a wrong value.
 */
async function readRent(rpc: JsonRpc, bytes: string): Promise<number> {
  const Rent = z.int().refine((lamports) => isPlausible(lamports, bytes));
  const params = [Number(bytes), { commitment: "confirmed" }];
  return rpc.call("getMinimumBalanceForRentExemption", params, Rent);
}

const isPlausible = (lamports: number, bytes: string): boolean =>
  computeLowestRent(BigInt(bytes)) <= lamports && lamports <= computeHighestRent(BigInt(bytes));
