import { sha256 } from "@noble/hashes/sha2";
import { utf8 } from "../solana/bytes";

/** Always the same collector for the same user, so that building again gives the same transfer. @throws {RangeError} on an empty list */
export function feeCollectorFor(userPubkey: string, collectors: readonly string[]): string {
  if (collectors.length === 0) throw new RangeError("no fee collectors");
  const digest = sha256(utf8(userPubkey));
  return collectors[new DataView(digest.buffer, digest.byteOffset).getUint32(0) % collectors.length]!;
}
