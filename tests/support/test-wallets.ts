import { createHash } from "node:crypto";
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

/** Base64 signature of a text. */
export function signed({ keys }: TestWallet, text: string): string {
  return Buffer.from(nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey)).toString("base64");
}

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
    if (signer) filled.set(nacl.sign.detached(message, signer.keys.secretKey), 1 + 64 * i);
  }
  return filled;
}
