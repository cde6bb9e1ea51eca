import { sha256 } from "@noble/hashes/sha2";
import { utf8 } from "../solana/bytes";

const MAX_REMEMBERED = 20_000;
const numbers = new Map<string, number>();

/** Returns the first four bytes of SHA-256 of an address, big-endian. A bounded cache serves returning users. */
function numberOf(userPubkey: string): number {
  const known = numbers.get(userPubkey);
  if (known !== undefined) return known;
  const digest = sha256(utf8(userPubkey));
  const number = new DataView(digest.buffer, digest.byteOffset).getUint32(0);
  if (numbers.size >= MAX_REMEMBERED) numbers.clear();
  numbers.set(userPubkey, number);
  return number;
}

/**
 * Returns the collectors in the order in which a user's fee tries them. The order depends only on the user and the
 * list, so building a transaction again produces the same transfer.
 * @throws {RangeError} on an empty list
 */
export function feeCollectorsFor(userPubkey: string, collectors: readonly string[]): [first: string, ...string[]] {
  if (collectors.length === 0) throw new RangeError("no fee collectors");
  const first = numberOf(userPubkey) % collectors.length;
  return [...collectors.slice(first), ...collectors.slice(0, first)] as [string, ...string[]];
}
