/** The store has one record per API key and ten places per wallet. Each key takes one place. */

export type StoredKey = {
  id: string;
  /** SHA-256 of the key's text, hex. */
  digest: string;
  wallet: string;
  name: string | null;
  /** Milliseconds since the epoch, like `expiresAt`. */
  createdAt: number;
  expiresAt: number;
  /** The wallet's place that this key takes. The fixed number of places enforces the limit of keys per wallet. */
  place: number;
};

/** Returns the store key of a key's record. @param id the public id of the API key */
export const toKeyRecordKey = (id: string) => `key:${id}`;
/** Written instead of a key record that must never be created, because another key already has its place. */
export const BLOCKED_RECORD = "barred";
/** The value stored for a key: the key itself, or the sign that it must never be stored. */
export type KeyRecord = StoredKey | typeof BLOCKED_RECORD;
/** Returns the stored key, or null if there is none or if it is blocked. */
export const toLiveKey = (record: KeyRecord | null): StoredKey | null => (record === BLOCKED_RECORD ? null : record);
/** Returns the store key of the time of a key's last use, ms since the epoch. */
export const toLastUsedKey = (id: string) => `key-last-used:${id}`;
/** Returns the store key of the flag that limits how often the last use is written. */
export const toUsedRecentlyKey = (id: string) => `key-used-recently:${id}`;
/** Returns the store key of one of a wallet's places. */
export const toPlaceKey = (wallet: string, place: number) => `key-place:${wallet}:${place}`;

/** The value stored for a place. */
export type KeyPlace = {
  /** Id of the key that takes the place. */
  id: string;
  /** Time the place was taken, ms since the epoch. */
  since: number;
};

/** Returns the store key of a revoked key's record. The record makes a second revocation idempotent. */
export const toRevocationKey = (id: string) => `key-revoked:${id}`;
export type RevokedKey = Pick<StoredKey, "id" | "wallet" | "place">;

/** A place whose key has no record is freed after this many ms. Writing the record takes far less time. */
export const PLACE_GRACE_MS = 60_000;

/** Returns the public fields of a key. */
export function describeKey({ id, wallet, name, createdAt, expiresAt }: StoredKey) {
  return {
    id,
    wallet,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
