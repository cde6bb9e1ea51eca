// Prints shell variables of a throwaway sandbox wallet, for trying the API and the command: eval "$(npm run -s wallet [-- http://localhost:3000])"
import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

const baseUrl = process.argv[2] ?? "http://localhost:3000";
const toBase64 = (bytes) => Buffer.from(bytes).toString("base64");
const sign = (text, { secretKey }) => nacl.sign.detached(new TextEncoder().encode(text), secretKey);

async function callApi(path, body, headers = {}) {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const answer = await (await fetch(baseUrl + path, init)).json();
  if (!answer.ok) throw new Error(`${path}: ${answer.error}`);
  return answer.data;
}

const keyPair = nacl.sign.keyPair();
const wallet = bs58.encode(keyPair.publicKey);
const signature = toBase64(sign((await callApi("/api/auth")).message, keyPair));
const { message, link, kdf } = await callApi("/api/wallet/derive");
const seed = hkdfSync("sha256", sign(message, keyPair), kdf.salt, `solana:${wallet}:0`, kdf.length);
const service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
const publicKey = bs58.encode(service.publicKey);
const proof = toBase64(sign(link.replace("{owner}", wallet).replace("{publicKey}", publicKey), service));
const signInHeaders = { "x-wallet": wallet, "x-signature": signature };
await callApi("/api/sandbox/airdrop", { address: wallet, sol: 1, usdc: 30 });
await callApi("/api/wallet/derive", { publicKey, proof }, signInHeaders);
await callApi("/api/sandbox/airdrop", { address: publicKey, sol: 1 });
const apiKey = await callApi("/api/keys/generate", { name: "curl", expiresInDays: 1 }, signInHeaders);
const wrap = { txValueUsd: 3.4, userPubkey: wallet, serviceWalletPubkey: publicKey, plan: "forest" };
const { transaction } = await callApi("/api/wrap", wrap, signInHeaders);
// The transaction has one signer: a count of 1, the signature of 64 bytes, then the message.
const signedBytes = Buffer.from(transaction.base64, "base64");
signedBytes.set(nacl.sign.detached(signedBytes.subarray(65), keyPair.secretKey), 1);

const variables = {
  BASE: baseUrl,
  WALLET: wallet,
  KEYPAIR: JSON.stringify([...keyPair.secretKey]),
  SIGNATURE: signature,
  SERVICE_WALLET: publicKey,
  PROOF: proof,
  API_KEY: apiKey.apiKey,
  KEY_ID: apiKey.id,
  SIGNED_TRANSACTION: toBase64(signedBytes),
};
for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
