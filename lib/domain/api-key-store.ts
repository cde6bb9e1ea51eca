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

/** Stored instead of an API key's record that must never be created, because another key may take its place. */
export const BLOCKED_RECORD = "blocked";
/** The value stored for an API key: the key itself, or BLOCKED_RECORD. */
export type KeyRecord = StoredKey | typeof BLOCKED_RECORD;
/** Returns the stored API key, or null if there is none or if it is blocked. */
export const toKeyUnlessBlocked = (record: KeyRecord | null): StoredKey | null =>
  record === BLOCKED_RECORD ? null : record;

export type KeyPlace = {
  /** Id of the API key that takes the place. */
  id: string;
  /** Time the place was taken, ms since the epoch. */
  since: number;
};

/** The record of a revoked API key. It makes a second revocation idempotent. */
export type RevokedKey = Pick<StoredKey, "id" | "wallet" | "place">;

/** After this many ms, another API key may take a place whose key has no record. Writing a record takes far less. */
export const PLACE_GRACE_MS = 60_000;

/** Returns the fields of an API key that its owner may see. */
export function toVisibleFields({ id, wallet, name, createdAt, expiresAt }: StoredKey) {
  return {
    id,
    wallet,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
