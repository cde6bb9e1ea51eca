import { randomBytes } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { deriveServiceWalletSeed } from "../../../lib/domain/service-wallet";
import { createLinkProof } from "../../../lib/sdk/sign/service-wallet";
import { signWithKey } from "../../../lib/sdk/sign/transactions";
import { encodeUtf8, toBase64 } from "../../../lib/solana/bytes";
import { AUTH_TEXT, LINK_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";
import { recordOwner } from "./secrets";

/* Prepares and checks the service through its API, independently of the page under test. */

/** Returns a new network address, so that callers never share a rate limit. */
export function createCallerAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `10.${a}.${b}.${c}`;
}

interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** The app's base URL; defaults to the shared app. */
  base?: string;
}

/**
 * Makes a call from a new address. It is a POST when it has a body, otherwise a GET. Returns the data of its answer.
 * @throws {Error} with the response when the call fails
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function callApi(path: string, options: CallOptions = {}): Promise<any> {
  const { body, headers, base = process.env.E2E_URL! } = options;
  const method = body === undefined ? "GET" : "POST";
  const response = await fetch(base + path, {
    method,
    headers: { "x-forwarded-for": createCallerAddress(), "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (answer.ok !== true) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer.data;
}

export interface Saver {
  seed: Uint8Array;
  keys: nacl.SignKeyPair;
  wallet: string;
  credentials: { "x-wallet": string; "x-signature": string };
  serviceWallet: { address: string; keys: nacl.SignKeyPair };
}

/** Creates a wallet and the service wallet that the page would derive from it. */
export function createSaver(): Saver {
  const seed = nacl.randomBytes(32);
  const keys = nacl.sign.keyPair.fromSeed(seed);
  const wallet = bs58.encode(keys.publicKey);
  const signText = (text: string) => nacl.sign.detached(encodeUtf8(text), keys.secretKey);
  recordOwner(keys);
  const serviceKeys = nacl.sign.keyPair.fromSeed(deriveServiceWalletSeed(signText(SERVICE_WALLET_TEXT), wallet, 0));
  return {
    seed,
    keys,
    wallet,
    credentials: { "x-wallet": wallet, "x-signature": toBase64(signText(AUTH_TEXT)) },
    serviceWallet: { address: bs58.encode(serviceKeys.publicKey), keys: serviceKeys },
  };
}

/** Returns the symbols of the assets that a wallet holds, in alphabetical order. */
export async function listAssets(address: string): Promise<string[]> {
  const { balances } = await callApi(`/api/portfolio/${address}`);
  return balances.map(({ symbol }: { symbol: string }) => symbol).sort();
}

/** Returns a wallet's balance of an asset, in base units; undefined if it holds none. */
export async function readBalance(address: string, asset: string): Promise<string | undefined> {
  const { balances } = await callApi(`/api/portfolio/${address}`);
  return balances.find((balance: { asset: string }) => balance.asset === asset)?.amount;
}

/** Counts the transactions of a type among a wallet's newest 20. @param base the app's base URL */
export async function countActivity(address: string, type: string, base?: string): Promise<number> {
  const { items } = await callApi(`/api/activity/${address}?limit=20`, { base });
  return items.filter((item: { type: string }) => item.type === type).length;
}

export async function fund(address: string, sol: number, base?: string, usdc?: number): Promise<void> {
  await callApi("/api/sandbox/airdrop", { body: { address, sol, usdc }, base });
}

/** Registers a saver's service wallet, as the page does after deriving it. Sends no key material. */
export async function registerServiceWallet(
  { credentials, wallet, serviceWallet }: Saver,
  base?: string,
): Promise<void> {
  const body = createLinkProof(LINK_TEXT, wallet, serviceWallet.keys);
  await callApi("/api/wallet/derive", { body, headers: credentials, base });
}

async function postSigned(signedTransaction: string, { credentials }: Saver, base?: string): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const result = await callApi("/api/swap/execute", { body: { signedTransaction }, headers: credentials, base });
    if (result.confirmed) return;
  }
  throw new Error("the transaction stayed pending");
}

export async function saveRoundUps(saver: Saver, txValuesUsd: number[]): Promise<void> {
  const { transaction } = await callApi("/api/wrap/batch", {
    body: { txValuesUsd, userPubkey: saver.wallet, serviceWalletPubkey: saver.serviceWallet.address, plan: "forest" },
    headers: saver.credentials,
  });
  await postSigned(signWithKey(transaction.base64, saver.keys), saver);
}

/** Invests the savings as far as the service allows. */
export async function investSavings(saver: Saver, targetAsset = "BTC", base?: string): Promise<void> {
  const { transactions } = await callApi("/api/swap/build", {
    body: { serviceWalletPubkey: saver.serviceWallet.address, targetAsset },
    headers: saver.credentials,
    base,
  });
  for (const { transaction } of transactions) {
    await postSigned(signWithKey(transaction, saver.serviceWallet.keys), saver, base);
  }
}

/** Withdraws SOL to the saver's main wallet: these lamports, or all. */
export async function withdrawSol(saver: Saver, amount?: string): Promise<void> {
  const { transactions } = await callApi("/api/withdraw/build", {
    body: { serviceWalletPubkey: saver.serviceWallet.address, destination: saver.wallet, asset: "SOL", amount },
    headers: saver.credentials,
  });
  for (const { transaction } of transactions)
    await postSigned(signWithKey(transaction, saver.serviceWallet.keys), saver);
}
