import { STORE_KEYS } from "../../domain/store-keys";
import type { KvStore } from "../../ports/kv-store";
import type { Random } from "../../ports/random";
import { toBase64, toHex } from "../../solana/bytes";
import { ignoreOutage } from "../store/store-failure";

/*
 * Decides which instance sends a transaction that a client has posted to several. One instance at a time sends it. A
 * send first takes or renews a lease in the store, and a failed send gives it back. An instance loses its lease when it
 * dies or a send takes longer than LEASE_MS. While the store fails, every instance sends. Leases only save calls: two
 * instances that send the same bytes do no harm, because the chain executes them once.
 */

const { ttlMs: LEASE_MS } = STORE_KEYS.sendLease;

export interface SendLeasesOptions {
  kv: Pick<KvStore, "setIfAbsent" | "replace">;
  random: Random;
}

/** Creates the leases of this instance. They never throw while the store fails. */
export function createSendLeases({ kv, random }: SendLeasesOptions) {
  const instanceId = toHex(random.bytes(16));
  return {
    /** Takes or renews the lease of a transaction. @returns false while another instance holds it */
    async take(transaction: Uint8Array): Promise<boolean> {
      const key = toLeaseKey(transaction);
      const renewLease = () => kv.replace(key, instanceId, instanceId, LEASE_MS);
      const hasLease = await kv
        .setIfAbsent(key, instanceId, LEASE_MS)
        .then((isFree) => isFree || renewLease())
        .catch(ignoreOutage);
      return hasLease ?? true;
    },
    async release(transaction: Uint8Array): Promise<void> {
      await kv.replace(toLeaseKey(transaction), instanceId, null).catch(ignoreOutage);
    },
  };
}

/** The first signature identifies a transaction. It follows the number of signatures, which takes one byte. */
const toLeaseKey = (transaction: Uint8Array) => STORE_KEYS.sendLease.toKey(toBase64(transaction.subarray(1, 65)));
