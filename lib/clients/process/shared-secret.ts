import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { Random } from "../../ports/random";
import { toHex } from "../../solana/bytes";
import { createCache } from "./cache";

/** How long a process uses a secret before it reads the store again, ms. The store may have lost the secret since. */
const CACHE_TTL_MS = 60_000;

/** Returns a reader of the secret of sign-in nonces: 32 random bytes, as hex, that the first instance creates. */
export function createSharedSecretReader({ kv, random, clock }: { kv: KvStore; random: Random; clock: Clock }) {
  const key = STORE_KEYS.signInSecret.toKey();
  const secrets = createCache<string>({ ttlMs: CACHE_TTL_MS, clock, maxEntries: 1 });
  const readSecret = async () => (await kv.get<string>(key)) ?? writeIfAbsent(kv, key, toHex(random.bytes(32)));
  return (): Promise<string> => secrets.get(key, readSecret);
}

/** Writes the secret unless another instance has written one. Returns the stored secret. @throws AppError upstream_* */
async function writeIfAbsent(kv: KvStore, key: string, secret: string): Promise<string> {
  return (await kv.setIfAbsent(key, secret)) ? secret : ((await kv.get<string>(key)) ?? secret);
}
