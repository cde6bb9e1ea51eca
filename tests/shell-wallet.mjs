// Prints shell variables of a throwaway sandbox wallet, for trying the API with curl: eval "$(npm run -s wallet)"
import nacl from "tweetnacl";

const base = process.argv[2] ?? "http://localhost:3000";
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const signText = (text) => base64(nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey));

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

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
function base58(bytes) {
  let text = "";
  for (let n = BigInt(`0x${Buffer.from(bytes).toString("hex")}`); n > 0n; n /= 58n)
    text = ALPHABET[Number(n % 58n)] + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

const keys = nacl.sign.keyPair();
const wallet = base58(keys.publicKey);
const signature = signText((await call("/api/auth")).message);
const walletSignature = signText((await call("/api/wallet/derive")).message);
const signedIn = { "x-wallet": wallet, "x-signature": signature };
await call("/api/sandbox/airdrop", { address: wallet, sol: 1 });
const { publicKey } = await call("/api/wallet/derive", { signature: walletSignature }, signedIn);
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
  SIGNATURE: signature,
  WALLET_SIGNATURE: walletSignature,
  SERVICE_WALLET: publicKey,
  API_KEY: key.apiKey,
  KEY_ID: key.id,
  SIGNED_TRANSACTION: base64(signed),
};
for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
