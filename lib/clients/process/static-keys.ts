import { createHash, timingSafeEqual } from "node:crypto";
import type { StaticKey } from "../../domain/static-keys";

export interface StaticKeys {
  /** Returns the key with this text, or null. */
  find(text: string): Pick<StaticKey, "name"> | null;
  /** Replaces all keys. It applies from the next request. */
  replace(keys: readonly StaticKey[]): void;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** Holds the operator's static keys, as digests only. */
export function createStaticKeys(keys: readonly StaticKey[]): StaticKeys {
  const digest = (list: readonly StaticKey[]) => list.map(({ name, key }) => ({ name, digest: sha256(key) }));
  let known = digest(keys);
  return {
    find(text) {
      const wanted = sha256(text);
      // Compares every digest, so that the time taken does not reveal which one was close.
      const matches = known.filter((one) => timingSafeEqual(one.digest, wanted));
      return matches[0] ?? null;
    },
    replace(list) {
      known = digest(list);
    },
  };
}
