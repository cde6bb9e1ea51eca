import { STORE_KEYS } from "../../domain/store-keys";
import type { KvStore } from "../../ports/kv-store";
import type { Random } from "../../ports/random";
import { toBase64, toHex } from "../../solana/bytes";
import { ignoreOutage } from "../store/store-failure";

/*
 * Decides which instance sends a transaction.
 *
 * The problem: a client may post one signed transaction to several instances. Each of them sends it until it lands, and
 * uses the nodes' quota for the same bytes. The invariant: one instance at a time sends a transaction, and some
 * instance always sends it while any instance is relaying it. How it is kept: a send first takes or renews a lease in
 * the store. A failed send gives the lease back. An instance loses its lease when it dies or when a send takes longer
 * than LEASE_MS. The other instances only read the outcome from the chain. When the store fails, every instance sends.
 * Leases only save calls. Two instances that send the same bytes do no harm, because the chain executes them once.
 */

/** How long a lease lasts, ms. */
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
    /** Ends this instance's lease, so that another instance can send the transaction at once. */
    async release(transaction: Uint8Array): Promise<void> {
      await kv.replace(toLeaseKey(transaction), instanceId, null).catch(ignoreOutage);
    },
  };
}

/** The first signature identifies a transaction. It follows the number of signatures, which takes one byte. */
const toLeaseKey = (transaction: Uint8Array) => STORE_KEYS.sendLease.toKey(toBase64(transaction.subarray(1, 65)));
