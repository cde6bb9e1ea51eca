// Prints shell variables of a throwaway sandbox wallet, for trying the API and the command: eval "$(npm run -s wallet [-- http://localhost:3000])"
import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

const base = process.argv[2] ?? "http://localhost:3000";
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const sign = (text, { secretKey }) => nacl.sign.detached(new TextEncoder().encode(text), secretKey);

async function call(path, body, headers = {}) {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const answer = await (await fetch(base + path, init)).json();
  if (!answer.ok) throw new Error(`${path}: ${answer.error}`);
  return answer.data;
}

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);
const signature = base64(sign((await call("/api/auth")).message, keys));
const { message, link, kdf } = await call("/api/wallet/derive");
const seed = hkdfSync("sha256", sign(message, keys), kdf.salt, `solana:${wallet}:0`, kdf.length);
const service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
const publicKey = bs58.encode(service.publicKey);
const proof = base64(sign(link.replace("{owner}", wallet).replace("{publicKey}", publicKey), service));
const signedIn = { "x-wallet": wallet, "x-signature": signature };
await call("/api/sandbox/airdrop", { address: wallet, sol: 1 });
await call("/api/wallet/derive", { publicKey, proof }, signedIn);
await call("/api/sandbox/airdrop", { address: publicKey, sol: 1 });
const key = await call("/api/keys/generate", { name: "curl", expiresInDays: 1 }, signedIn);
const wrap = { txValueUsd: 3.4, userPubkey: wallet, serviceWalletPubkey: publicKey, plan: "forest" };
const { transaction } = await call("/api/wrap", wrap, signedIn);
// One signer: [1][signature 64][message].
const signed = Buffer.from(transaction.base64, "base64");
signed.set(nacl.sign.detached(signed.subarray(65), keys.secretKey), 1);

const variables = {
  BASE: base,
  WALLET: wallet,
  KEYPAIR: JSON.stringify([...keys.secretKey]),
  SIGNATURE: signature,
  SERVICE_WALLET: publicKey,
  PROOF: proof,
  API_KEY: key.apiKey,
  KEY_ID: key.id,
  SIGNED_TRANSACTION: base64(signed),
};
for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
