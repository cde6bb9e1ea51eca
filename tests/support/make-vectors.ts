import { hkdfSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { SERVICE_WALLET_TEXT } from "./texts";
import vectors from "./vectors.json";

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
const json = `${JSON.stringify(made, null, 2)}\n`;
for (const copy of ["tests/support/vectors.json", "app/docs/_content/service-wallet-vectors.json"]) {
  writeFileSync(copy, json);
}

const shown = made.vectors.map((one) =>
  [
    ["owner seed", one.ownerSeedHex],
    ["owner", one.owner],
    ["index", String(one.index)],
    ["signature", one.signatureBase64],
    ["seed", one.serviceSeedHex],
    ["service wallet", one.servicePublicKey],
  ]
    .map(([label = "", value]) => `${label.padEnd(16)}${value}`)
    .join("\n"),
);
const readme = readFileSync("README.md", "utf8");
const block = /(<!-- vectors:.*-->\n```\n)[\s\S]+?(\n```)/;
writeFileSync(
  "README.md",
  readme.replace(block, (_, head, tail) => head + shown.join("\n\n") + tail),
);
