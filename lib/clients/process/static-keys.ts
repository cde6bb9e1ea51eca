import { createHash, timingSafeEqual } from "node:crypto";
import type { KnownStaticKey, StaticKey } from "../../domain/static-keys";

export interface StaticKeys {
  /** Returns the key with this text, or null. */
  find(text: string): KnownStaticKey | null;
  /** Replaces all keys. It applies from the next request. */
  replace(keys: readonly StaticKey[]): void;
}

const hashSha256 = (text: string) => createHash("sha256").update(text).digest();

/** Holds the operator's static keys, as digests only. */
export function createStaticKeys(keys: readonly StaticKey[]): StaticKeys {
  const digestKeys = (list: readonly StaticKey[]) =>
    list.map(({ key, ...rest }) => {
      const digest = hashSha256(key);
      return { digest, known: { ...rest, id: digest.toString("hex", 0, 8) } };
    });
  let known = digestKeys(keys);
  return {
    find(text) {
      const wanted = hashSha256(text);
      // Compares every digest, so that the time taken does not reveal which one was close.
      const matches = known.filter(({ digest }) => timingSafeEqual(digest, wanted));
      return matches[0]?.known ?? null;
    },
    replace(list) {
      known = digestKeys(list);
    },
  };
}
