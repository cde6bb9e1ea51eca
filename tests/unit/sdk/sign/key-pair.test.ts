import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { expect, test } from "vitest";
import { exportKey } from "@/lib/sdk/sign/key-pair";

test("an exported key opens the same wallet in web3.js and in wallet apps", () => {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
  const { base58, json } = exportKey(keys);
  for (const bytes of [bs58.decode(base58), Uint8Array.from(JSON.parse(json))]) {
    expect(bytes).toHaveLength(64);
    expect(Keypair.fromSecretKey(bytes).publicKey.toBase58()).toBe(bs58.encode(keys.publicKey));
  }
});
