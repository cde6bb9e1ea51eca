import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

export interface TestWallet {
  address: string;
  keys: nacl.SignKeyPair;
}

/** The same wallet for the same label in every run. */
export function testWallet(label: string): TestWallet {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(createHash("sha256").update(label).digest()));
  return { address: bs58.encode(keys.publicKey), keys };
}

/** The header of an Ed25519 key in PKCS #8 (RFC 8410); the seed follows. */
const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex");

/** A key for node:crypto, which signs in a fiftieth of the time that tweetnacl takes. @param seed 32 bytes */
function nativeKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: "der", type: "pkcs8" });
}

const keyObjects = new WeakMap<nacl.SignKeyPair, KeyObject>();

/** Returns the wallet's Ed25519 signature over the message. */
export function signBytes({ keys }: TestWallet, message: Uint8Array): Buffer {
  const key = keyObjects.get(keys) ?? nativeKey(keys.secretKey.subarray(0, 32));
  keyObjects.set(keys, key);
  return sign(null, message, key);
}

/** Base64 signature of a text. */
export const signed = (wallet: TestWallet, text: string): string =>
  signBytes(wallet, new TextEncoder().encode(text)).toString("base64");

/** Puts the signatures of those it is given into an unsigned transaction, as far as it asks for them. */
export function signTransaction(bytes: Uint8Array, ...signers: TestWallet[]): Uint8Array {
  const filled = Uint8Array.from(bytes);
  const count = filled[0]!;
  const message = filled.subarray(1 + 64 * count);
  // A v0 message begins with its version byte, then three counts, then the number of keys.
  const keysAt = message[0]! & 0x80 ? 5 : 4;
  for (let i = 0; i < count; i++) {
    const key = bs58.encode(message.subarray(keysAt + 32 * i, keysAt + 32 * (i + 1)));
    const signer = signers.find(({ address }) => address === key);
    if (signer) filled.set(signBytes(signer, message), 1 + 64 * i);
  }
  return filled;
}

/** A wallet as the SDK takes one, signing with node:crypto. The same for the same label in every run. */
export function quickWallet(label: string) {
  const key = nativeKey(createHash("sha256").update(label).digest());
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  return {
    address: bs58.encode(publicKey),
    signMessage: async (message: Uint8Array) => new Uint8Array(sign(null, message, key)),
    async signTransaction(transaction: string) {
      const bytes = Buffer.from(transaction, "base64");
      sign(null, bytes.subarray(65), key).copy(bytes, 1);
      return bytes.toString("base64");
    },
  };
}
