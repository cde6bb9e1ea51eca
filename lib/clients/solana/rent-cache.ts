import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import { COMMITMENT } from "../../solana/commitment";
import { computeHighestRent, computeLowestRent } from "../../solana/rent";
import { createCache } from "../process/cache";
import type { Bucket } from "../quota/bucket";
import type { QuotaUser } from "../quota/quota-port";
import { createSharedValues, type SharedKv } from "../store/shared-values";
import type { JsonRpc } from "./json-rpc";

/** Served for twice as long at most. Rent changes in steps that are announced months ahead. */
const { ttlMs: RENT_TTL_MS } = STORE_KEYS.rent;

interface RentReaderOptions {
  meterRpc: (quotaUser: QuotaUser) => JsonRpc;
  clock: Clock;
  onJoin: Bucket["join"];
  kv: SharedKv;
}

/** Returns a function that reads the rent-exempt minimum of an account with this much data, in lamports. */
export function createRentReader({ meterRpc, clock, onJoin, kv }: RentReaderOptions) {
  const sharedRents = createSharedValues({ kv, family: STORE_KEYS.rent, schema: z.int() });
  const rents = createCache({ ttlMs: RENT_TTL_MS, maxEntries: 100, clock, onJoin });
  const readRent = async (quotaUser: QuotaUser, byteCount: number): Promise<bigint> => {
    const storedRent = await sharedRents.read(String(byteCount));
    if (storedRent !== null && isPlausibleRent(storedRent, byteCount)) return BigInt(storedRent);
    const lamports = await readRentLamports(meterRpc(quotaUser), byteCount);
    await sharedRents.write(String(byteCount), lamports);
    return BigInt(lamports);
  };
  return (quotaUser: QuotaUser, byteCount: number): Promise<bigint> =>
    rents.get(String(byteCount), (loadUser) => readRent(loadUser, byteCount), quotaUser);
}

/**
 * The bounds are checked while the pool reads the answer, so that it asks the next node when one returns a wrong value.
 */
async function readRentLamports(rpc: JsonRpc, byteCount: number): Promise<number> {
  const Rent = z.int().refine((lamports) => isPlausibleRent(lamports, byteCount));
  const params = [byteCount, { commitment: COMMITMENT }];
  return rpc.call("getMinimumBalanceForRentExemption", params, Rent);
}

const isPlausibleRent = (lamports: number, byteCount: number): boolean =>
  computeLowestRent(BigInt(byteCount)) <= lamports && lamports <= computeHighestRent(BigInt(byteCount));
