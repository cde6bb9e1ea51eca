import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { expect, test } from "vitest";
import { exportKey } from "@/lib/sdk/sign/export-key";

test("both forms of an exported key open the very wallet it is of, in web3.js as in a wallet app", () => {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
  const { base58, json } = exportKey(keys);
  for (const bytes of [bs58.decode(base58), Uint8Array.from(JSON.parse(json))]) {
    expect(bytes).toHaveLength(64);
    expect(Keypair.fromSecretKey(bytes).publicKey.toBase58()).toBe(bs58.encode(keys.publicKey));
  }
});
