import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

/** A signed-in user with money, and with a service wallet that has invested once. */
export interface BenchWallet {
  address: string;
  headers: { "x-wallet": string; "x-signature": string };
  serviceWallet: string;
  /** Of the user's key pair. */
  secretKey: Uint8Array;
}

const CONCURRENCY = 5;
let calls = 0;

/** Creates users through the API alone, with the same steps as a user's app. */
export async function createWallets(base: string, count: number): Promise<BenchWallet[]> {
  const wallets: BenchWallet[] = [];
  while (wallets.length < count) {
    const some = Math.min(CONCURRENCY, count - wallets.length);
    wallets.push(...(await Promise.all(Array.from({ length: some }, () => createWallet(base)))));
  }
  return wallets;
}

async function createWallet(base: string): Promise<BenchWallet> {
  const user = nacl.sign.keyPair();
  const address = bs58.encode(user.publicKey);
  const auth = await call<{ message: string }>(base, "/api/auth");
  const headers = { "x-wallet": address, "x-signature": signText(user, auth.message).toString("base64") };
  await call(base, "/api/sandbox/airdrop", { address, sol: 5 });

  const { message, kdf } = await call<{ message: string; kdf: { salt: string; length: number } }>(
    base,
    "/api/wallet/derive",
  );
  const signature = signText(user, message);
  await call(base, "/api/wallet/derive", { signature: signature.toString("base64") }, headers);
  const seed = hkdfSync("sha256", signature, kdf.salt, `solana:${address}:0`, kdf.length);
  const service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
  const serviceWallet = bs58.encode(service.publicKey);
  await call(base, "/api/sandbox/airdrop", { address: serviceWallet, sol: 1 });
  await investOnce(base, headers, service, serviceWallet);
  return { address, headers, serviceWallet, secretKey: user.secretKey };
}

async function investOnce(
  base: string,
  headers: Record<string, string>,
  service: nacl.SignKeyPair,
  serviceWalletPubkey: string,
): Promise<void> {
  const request = { serviceWalletPubkey, targetAsset: "BTC" };
  const build = await call<{ transactions: { transaction: string }[] }>(base, "/api/swap/build", request, headers);
  const signedTransaction = signTransaction(build.transactions[0]!.transaction, service.secretKey);
  let confirmed = false;
  while (!confirmed) {
    ({ confirmed } = await call<{ confirmed: boolean }>(base, "/api/swap/execute", { signedTransaction }, headers));
  }
}

/** Signs a transaction of one signer, whose layout is [1][signature, 64 bytes][message]. Takes and returns base64. */
export function signTransaction(transaction: string, secretKey: Uint8Array): string {
  const bytes = Buffer.from(transaction, "base64");
  bytes.set(nacl.sign.detached(bytes.subarray(65), secretKey), 1);
  return bytes.toString("base64");
}

const signText = (keys: nacl.SignKeyPair, text: string) =>
  Buffer.from(nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey));

/** Makes one call from a unique address. @throws Error with the answer when the call fails */
export async function call<T>(
  base: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  calls++;
  const stamp = { "x-forwarded-for": `172.16.${(calls >> 8) & 255}.${calls & 255}` };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(base + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...stamp, ...type, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { ok: boolean; data: T };
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}
