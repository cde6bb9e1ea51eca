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
export const keyLastUsed = (id: string) => `key-last-used:${id}`;
export const keyUsedRecently = (id: string) => `key-used-recently:${id}`;
export const keyPlace = (wallet: string, place: number) => `key-place:${wallet}:${place}`;

/** A place outlives its key by this, so that freeing it can never free its successor's. */
export const PLACE_GRACE_MS = 60_000;
