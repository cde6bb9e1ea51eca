import { createHash, timingSafeEqual } from "node:crypto";
import type { KnownStaticKey, StaticKey } from "../../domain/static-keys";

export type StaticKeys = ReturnType<typeof createStaticKeys>;

const hashSha256 = (text: string) => createHash("sha256").update(text).digest();

/** Creates the store of the operator's static keys, which holds them as digests only. */
export function createStaticKeys(keys: readonly StaticKey[]) {
  const digestKeys = (list: readonly StaticKey[]) =>
    list.map(({ key, ...rest }) => {
      const digest = hashSha256(key);
      return { digest, known: { ...rest, id: digest.toString("hex", 0, 8) } };
    });
  let known = digestKeys(keys);
  return {
    /** Returns the key with this text, or null. */
    find(text: string): KnownStaticKey | null {
      const wanted = hashSha256(text);
      // Compare every digest, so that the time taken does not reveal which key was close.
      const matches = known.filter(({ digest }) => timingSafeEqual(digest, wanted));
      return matches[0]?.known ?? null;
    },
    /** Replaces all keys. The new ones apply from the next request. */
    replace(list: readonly StaticKey[]): void {
      known = digestKeys(list);
    },
  };
}
