import { hkdfSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import bs58 from "bs58";
import nacl from "tweetnacl";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { SERVICE_WALLET_TEXT } from "./texts";

// Writes the published test vectors anew from their owners' seeds, with Node's HKDF and tweetnacl, after the text was
// changed on purpose: node --import tsx tests/support/make-vectors.ts

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function derive({ ownerSeedHex, index }: { ownerSeedHex: string; index: number }) {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(Buffer.from(ownerSeedHex, "hex")));
  const owner = bs58.encode(keys.publicKey);
  const signature = nacl.sign.detached(Buffer.from(SERVICE_WALLET_TEXT), keys.secretKey);
  const seed = new Uint8Array(hkdfSync("sha256", signature, vectors.salt, `solana:${owner}:${index}`, 32));
  return {
    ownerSeedHex,
    owner,
    signatureBase64: Buffer.from(signature).toString("base64"),
    index,
    serviceSeedHex: hex(seed),
    servicePublicKey: bs58.encode(nacl.sign.keyPair.fromSeed(seed).publicKey),
  };
}

const made = { ...vectors, message: SERVICE_WALLET_TEXT, vectors: vectors.vectors.map(derive) };
writeFileSync("app/docs/_content/service-wallet-vectors.json", `${JSON.stringify(made, null, 2)}\n`);
