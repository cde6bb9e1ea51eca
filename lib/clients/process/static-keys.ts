import { createHash, timingSafeEqual } from "node:crypto";
import type { KnownStaticKey, StaticKey } from "../../domain/static-keys";

export type StaticKeys = ReturnType<typeof createStaticKeys>;

const hashSha256 = (text: string) => createHash("sha256").update(text).digest();

/** Holds the operator's static keys, as digests only. */
export function createStaticKeys(keys: readonly StaticKey[]) {
  const digestKeys = (staticKeys: readonly StaticKey[]) =>
    staticKeys.map(({ key, ...fields }) => {
      const digest = hashSha256(key);
      return { digest, knownKey: { ...fields, id: digest.toString("hex", 0, 8) } };
    });
  let digestedKeys = digestKeys(keys);
  return {
    find(text: string): KnownStaticKey | null {
      const wantedDigest = hashSha256(text);
      // Compare every digest, so that the time taken does not reveal which key was close.
      const matches = digestedKeys.filter(({ digest }) => timingSafeEqual(digest, wantedDigest));
      return matches[0]?.knownKey ?? null;
    },
    replace(newKeys: readonly StaticKey[]): void {
      digestedKeys = digestKeys(newKeys);
    },
  };
}
