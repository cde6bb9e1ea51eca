import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { encodeUtf8, toHex } from "../solana/bytes";
import type { Mark } from "./marks";

/** Allowed references: 1 to 64 characters of printable ASCII. A URL cannot carry `.` or `..` as a part of its path. */
export const REFERENCE_PATTERN = /^(?!\.{1,2}$)[ -~]{1,64}$/;

/** Separates these hashes from all other uses of SHA-256. */
const HASH_DOMAIN = "roundup/ref/1";

/**
 * Returns the mark of a wallet's reference. The hash covers the wallet, so nobody can use one wallet's mark for
 * another wallet, and the chain does not show the reference itself. The memo carries its first 16 bytes. The saving
 * transfer carries all 32 bytes as a Solana Pay reference key.
 */
export function createReferenceMark(wallet: string, reference: string): Mark & { key: string } {
  const hash = sha256(encodeUtf8([HASH_DOMAIN, wallet, reference].join("\0")));
  return { kind: "ref", value: toHex(hash.subarray(0, 16)), key: bs58.encode(hash) };
}
