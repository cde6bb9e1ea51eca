import { sha256 } from "@noble/hashes/sha2";
import { utf8 } from "../solana/bytes";

/**
 * The collectors in the order a user's fee tries them; always the same for the same user, so that building again gives
 * the same transfer.
 * @throws {RangeError} on an empty list
 */
export function feeCollectorsFor(userPubkey: string, collectors: readonly string[]): [first: string, ...string[]] {
  if (collectors.length === 0) throw new RangeError("no fee collectors");
  const digest = sha256(utf8(userPubkey));
  const first = new DataView(digest.buffer, digest.byteOffset).getUint32(0) % collectors.length;
  return [...collectors.slice(first), ...collectors.slice(0, first)] as [string, ...string[]];
}
