// Saves the change of ten purchases and turns it into BTC. Node 20: npm install bs58 tweetnacl; node worked-example.mjs [base]
import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

const BASE = process.argv[2] ?? "http://localhost:3000";
const PURCHASES_USD = [3.4, 12.1, 7.25, 27.63, 4.05, 18.3, 9.15, 2.2, 5.05, 6.4];
const toAddress = (keys) => bs58.encode(keys.publicKey);
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const signText = (text, keys) => nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey);

let credentials = {};

async function call(path, body) {
  const response = await fetch(BASE + path, {
    method: body ? "POST" : "GET",
    headers: { ...credentials, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (answer.ok) return answer.data;
  const retryAfter = response.headers.get("retry-after");
  throw Object.assign(new Error(`${answer.code}: ${answer.error}`), { status: response.status, retryAfter });
}

async function signIn(wallet) {
  const { message } = await call("/api/auth");
  return { "x-wallet": toAddress(wallet), "x-signature": base64(signText(message, wallet)) };
}

// The derived key and the signature that it comes from stay here. Only the address and a proof are sent.
async function deriveServiceWallet(wallet) {
  const { message, link } = await call("/api/wallet/derive");
  const [signature, repeated] = [signText(message, wallet), signText(message, wallet)];
  if (!signature.every((byte, i) => byte === repeated[i]))
    throw new Error("this wallet cannot derive the same key again");
  const owner = toAddress(wallet);
  const seed = hkdfSync("sha256", signature, "roundup/service-wallet/v1", `solana:${owner}:0`, 32);
  const service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
  const publicKey = toAddress(service);
  const text = link.replace("{owner}", owner).replace("{publicKey}", publicKey);
  await call("/api/wallet/derive", { publicKey, proof: base64(signText(text, service)) });
  return service;
}

// [count][signatures, 64 bytes each][message]; v0 messages start with 0x80. Check before you sign: /docs/verifying
function signTransaction(transactionBase64, keys) {
  const bytes = Buffer.from(transactionBase64, "base64");
  const message = bytes.subarray(1 + 64 * bytes[0]);
  const keysOffset = message[0] & 0x80 ? 5 : 4;
  for (let i = 0; i < bytes[0]; i++) {
    const key = message.subarray(keysOffset + 32 * i, keysOffset + 32 * (i + 1));
    if (!key.equals(keys.publicKey)) continue;
    bytes.set(nacl.sign.detached(message, keys.secretKey), 1 + 64 * i);
    return bytes.toString("base64");
  }
  throw new Error("this key is not a signer of that transaction");
}

// Sends the same bytes until the outcome is known. They can never pay twice.
async function execute(signedTransaction) {
  for (;;) {
    const answer = await call("/api/swap/execute", { signedTransaction }).catch((failure) => failure);
    if (answer.confirmed) return answer;
    const isRefused = answer instanceof Error && answer.status && ![429, 502, 503, 504].includes(answer.status);
    if (isRefused) throw answer;
    await new Promise((wait) => setTimeout(wait, 1000 * (answer.retryAfter ?? 2)));
  }
}

const wallet = nacl.sign.keyPair(); // a new one each time; yours comes from nacl.sign.keyPair.fromSecretKey
credentials = await signIn(wallet);
const service = await deriveServiceWallet(wallet);
const serviceWalletPubkey = toAddress(service);
await call("/api/sandbox/airdrop", { address: toAddress(wallet), sol: 1 }); // play money, sandbox only

const purchases = { txValuesUsd: PURCHASES_USD, userPubkey: toAddress(wallet), serviceWalletPubkey, plan: "forest" };
const saving = await call("/api/wrap/batch", purchases);
if (!saving.affordable) throw new Error("the wallet is short of SOL");
if (saving.transaction) await execute(signTransaction(saving.transaction.base64, wallet));
console.log("saved, USD:", saving.breakdown.roundUpUsd);

const swap = await call("/api/swap/build", { serviceWalletPubkey, targetAsset: "BTC" });
if (!swap.ready) console.log("not invested yet:", swap.reason);
for (const { transaction } of swap.transactions) await execute(signTransaction(transaction, service));

const { balances } = await call(`/api/portfolio/${serviceWalletPubkey}`);
for (const { symbol, balance, usdValue } of balances) console.log(symbol, balance, "USD:", usdValue);
