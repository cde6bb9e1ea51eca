import bs58 from "bs58";
import nacl from "tweetnacl";
import { signWithKey } from "./transactions";

/**
 * Creates a wallet from a secret key held by this program, e.g. in a script, an agent or a server.
 * @param secretKey a 32-byte seed, or the 64 bytes of a Solana key file
 * @throws {RangeError} on any other length
 */
export function createKeyWallet(secretKey: Uint8Array) {
  if (secretKey.length !== 32 && secretKey.length !== 64) throw new RangeError("a secret key has 32 or 64 bytes");
  const keys =
    secretKey.length === 32 ? nacl.sign.keyPair.fromSeed(secretKey) : nacl.sign.keyPair.fromSecretKey(secretKey);
  return {
    address: bs58.encode(keys.publicKey),
    signMessage: async (message: Uint8Array) => nacl.sign.detached(message, keys.secretKey),
    signTransaction: async (transaction: string) => signWithKey(transaction, keys),
  };
}
