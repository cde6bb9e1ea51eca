/** How API keys lie in the store: one record a key, and ten places a wallet. */

export type StoredKey = {
  id: string;
  /** SHA-256 of the key's text, hex. */
  digest: string;
  wallet: string;
  name: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
  expiresAt: number;
  /** Which of the wallet's places it takes: the places are what holds a wallet to its limit. */
  place: number;
};

export const keyRecord = (id: string) => `key:${id}`;
/** Stands in place of a record that must never be written: the key's place belongs to another key. */
export const BARRED = "barred";
/** What lies at keyRecord. */
export type KeyRecord = StoredKey | typeof BARRED;
export const liveKey = (record: KeyRecord | null): StoredKey | null => (record === BARRED ? null : record);
export const keyLastUsed = (id: string) => `key-last-used:${id}`;
export const keyUsedRecently = (id: string) => `key-used-recently:${id}`;
export const keyPlace = (wallet: string, place: number) => `key-place:${wallet}:${place}`;

/** What lies in a place. */
export type KeyPlace = {
  /** Of the key. */
  id: string;
  /** When the place was taken, ms since the epoch. */
  since: number;
};

/** Of a revoked key, what revoking it again needs. */
export const keyRevoked = (id: string) => `key-revoked:${id}`;
export type RevokedKey = Pick<StoredKey, "id" | "wallet" | "place">;

/** A place whose key has no record is free again after this: far longer than writing the record takes. */
export const PLACE_GRACE_MS = 60_000;
