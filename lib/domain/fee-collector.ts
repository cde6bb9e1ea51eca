import { sha256 } from "@noble/hashes/sha2";
import { encodeUtf8 } from "../solana/bytes";
import { memoize } from "../solana/memoize";

/** Transactions that write to one account cannot run in parallel, so fees go to several collectors. */
export const FEE_COLLECTOR_COUNT = 8;

/** Returns the first four bytes of SHA-256 of an address, big-endian. */
const computeHashPrefix = memoize(20_000, (userPubkey) => {
  const digest = sha256(encodeUtf8(userPubkey));
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
});

/**
 * Returns the collectors in the order in which a user's fee tries them. The order depends only on the user and the
 * list, so building a transaction again produces the same transfer.
 * @throws {RangeError} on an empty list
 */
export function orderFeeCollectors(userPubkey: string, collectors: readonly string[]): [first: string, ...string[]] {
  if (collectors.length === 0) throw new RangeError("no fee collectors");
  const firstIndex = computeHashPrefix(userPubkey) % collectors.length;
  return [...collectors.slice(firstIndex), ...collectors.slice(0, firstIndex)] as [string, ...string[]];
}
