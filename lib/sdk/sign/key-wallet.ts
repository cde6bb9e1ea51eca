import bs58 from "bs58";
import nacl from "tweetnacl";
import { parseKeyFileText } from "./key-file-text";
import { signWithKey } from "./transactions";

/**
 * Creates a wallet from a secret key held by this program, e.g. in a script, an agent or a server.
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
