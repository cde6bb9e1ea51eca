import bs58 from "bs58";
import nacl from "tweetnacl";
import { signWithKey } from "./transactions";

/**
 * Creates a wallet from a secret key that this program holds.
 * @param key a 32-byte seed, the 64 bytes of a secret key, or the text of a key file: the Solana CLI's list of numbers, or
 *   base58 as a wallet app exports it
 * @throws {RangeError} on any other key. The message contains no part of it
 */
export function createKeyWallet(key: Uint8Array | string) {
  const secretKey = typeof key === "string" ? parseKeyFileText(key) : key;
  if (secretKey.length !== 32 && secretKey.length !== 64) throw new RangeError("a secret key has 32 or 64 bytes");
  const keys =
    secretKey.length === 32 ? nacl.sign.keyPair.fromSeed(secretKey) : nacl.sign.keyPair.fromSecretKey(secretKey);
  return {
    address: bs58.encode(keys.publicKey),
    signMessage: async (message: Uint8Array) => nacl.sign.detached(message, keys.secretKey),
    signTransaction: async (transaction: string) => signWithKey(transaction, keys),
  };
}

const SEED_PHRASE_PATTERN = /^\p{Ll}+(\s+\p{Ll}+){11,23}$/u;

const EXPECTED_FORMATS =
  "A key file holds the list of 64 numbers that solana-keygen writes, or the secret key in base58 that a wallet app exports.";

/** Matches a list of numbers, hexadecimal digits of 32 or 64 bytes, and the words of a seed phrase, in any case. */
const SECRET_TEXT_PATTERN = /^\W*(\d+\W+){16,}|^(0x)?([\da-f]{64}){1,2}$|^\p{L}+(\s+\p{L}+){11,23}$/iu;

export function isSecretKeyText(text: string): boolean {
  const value = text.trim();
  return SECRET_TEXT_PATTERN.test(value) || (decodeBase58(value)?.length ?? 0) >= 32;
}

/**
 * @returns the 64 bytes of the secret key: the seed, then the public key
 * @throws {RangeError} whose message continues a sentence that starts with the file's name, without any part of the text
 */
function parseKeyFileText(fileText: string): Uint8Array {
  const text = fileText.replace(/^\ufeff/, "").trim();
  const refuse = (content: string) => new RangeError(`${content} ${EXPECTED_FORMATS}`);
  if (text === "") throw refuse("is empty.");
  if (SEED_PHRASE_PATTERN.test(text))
    throw new RangeError(
      `holds a seed phrase. "solana-keygen recover -o id.json prompt://" writes its key file. Delete the phrase's file then.`,
    );
  if (text.startsWith("{")) throw refuse("holds a JSON object.");
  const isList = text.startsWith("[");
  const bytes = isList ? parseByteList(text) : decodeBase58(text.replace(/^(["'])(.*)\1$/s, "$2"));
  if (bytes?.length === 32 && !isList) throw refuse("holds an address or half of a key.");
  if (bytes?.length !== 64) throw refuse(isList ? "is not a list of 64 numbers from 0 to 255." : "is not a key file.");
  // Derive the public key from the seed: the second half of a damaged file may be another wallet's public key.
  const { publicKey } = nacl.sign.keyPair.fromSeed(bytes.subarray(0, 32));
  if (publicKey.some((byte, i) => byte !== bytes[32 + i]))
    throw new RangeError("is damaged: its public key does not belong to its secret key.");
  return bytes;
}

/** Returns null unless the JSON text is a list of bytes. */
function parseByteList(text: string): Uint8Array | null {
  try {
    const list: unknown[] = JSON.parse(text);
    return list.every(isByte) ? Uint8Array.from(list as number[]) : null;
  } catch {
    // The parser's message quotes the text, so drop it.
    return null;
  }
}

const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256;

/** Returns null for a text that is not base58, or too long for a key. */
const decodeBase58 = (text: string) => (text.length <= 100 ? (bs58.decodeUnsafe(text) ?? null) : null);
