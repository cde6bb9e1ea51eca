import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { encodeUtf8, toHex } from "../solana/bytes";

/**
 * `ru_<live|test>_<id: 16 hex>_<secret: 44 base58><crc32: 8 hex>`. Secret scanners match the prefix. The checksum
 * rejects typos.
 */
const API_KEY_PATTERN = /^ru_(live|test)_([0-9a-f]{16})_([1-9A-HJ-NP-Za-km-z]{44})([0-9a-f]{8})$/;

/** Limits of keys that wallets create. Lifetimes are in days. */
export const MAX_KEYS_PER_WALLET = 10;
export const DEFAULT_KEY_DAYS = 90;
export const MAX_KEY_DAYS = 365;
/** The server refuses to boot with a static key shorter than this many characters. */
export const MIN_STATIC_KEY_LENGTH = 32;

/** Computes the CRC-32 (IEEE 802.3, reflected 0xEDB88320) of a text, as 8 hex digits. */
function computeCrc32(text: string): string {
  let crc = 0xffffffff;
  for (const byte of encodeUtf8(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

/**
 * Formats an API key from its random parts.
 * @param idBytes 8 random bytes, public
 * @param secret 32 random bytes: 256 bits
 */
export function formatApiKey(
  mode: "live" | "test",
  idBytes: Uint8Array,
  secret: Uint8Array,
): { id: string; apiKey: string } {
  const id = toHex(idBytes);
  const body = `ru_${mode}_${id}_${bs58.encode(secret).padStart(44, "1")}`;
  return { id, apiKey: body + computeCrc32(body) };
}

/** Returns the id in a well-formed key, or null for any other text. Does not check that the key exists. */
export function readApiKeyId(text: string, mode: "live" | "test"): string | null {
  const match = API_KEY_PATTERN.exec(text);
  if (!match || match[1] !== mode || computeCrc32(text.slice(0, -8)) !== match[4]) return null;
  return match[2]!;
}

/**
 * Returns the SHA-256 of a key's text as hex. The service stores a key only in this form. Keys have 256 bits of entropy
 * and need no slow hash.
 */
export function hashApiKey(text: string): string {
  return toHex(sha256(encodeUtf8(text)));
}
