import { hkdfSync } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { inject } from "vitest";
import type { DataOf } from "../../../lib/contracts/define";
import type { ErrorCode, Issue } from "../../../lib/errors";
import type { ContractAt } from "../../../lib/sdk/calls/calls";
import { toBase64 } from "../../../lib/solana/bytes";
import type { SharedApps } from "../app/global-setup";
import { signTransaction as signTransactionBytes } from "../fixtures/test-wallets";
import { type CheckedAnswer, checkAnswer } from "./contract-check";

/** The response envelope. A test may read the fields of either kind; the fields of the other kind are undefined. */
type Body<Data = unknown> = Success<Data> | Failure;
interface Success<Data> {
  ok: true;
  data: Data;
  error?: undefined;
  code?: undefined;
  issues?: undefined;
  txSignature?: undefined;
}
export interface Failure {
  ok: false;
  error: string;
  code: ErrorCode;
  requestId: string;
  issues?: Issue[];
  txSignature?: string;
  data?: undefined;
}

export interface Answer<Data = unknown> {
  status: number;
  headers: Headers;
  text: string;
  /** Null when the body is not JSON. */
  body: Body<Data> | null;
}

/** The type of the data in a successful answer; unknown when no contract declares the method and path. */
export type DataAt<Method, Path> = [ContractAt<Method, Path>] extends [never]
  ? unknown
  : DataOf<ContractAt<Method, Path>>;

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  rawBody?: string;
  /** The caller's address. Default: a new address for each call. */
  address?: string;
}

let lastAddressNumber = Buffer.from(nacl.randomBytes(3)).readUIntBE(0, 3);

/**
 * Returns a new IP address, so that the rate limit never interferes. It counts up, because random addresses would repeat
 * among thousands.
 */
export function createCallerAddress(): string {
  lastAddressNumber = (lastAddressNumber + 1) % 2 ** 24;
  return `10.${lastAddressNumber >> 16}.${(lastAddressNumber >> 8) & 255}.${lastAddressNumber & 255}`;
}

/** Returns the folder of recordings; undefined when no shared app was started. */
export const getRecordingsFolder = () => (inject("apps") as SharedApps | undefined)?.recordings;

/** Records a line for the canary, if one runs. */
export function record(file: "responses.txt" | "secrets.txt", line: string): void {
  const folder = getRecordingsFolder();
  if (folder) appendFileSync(join(folder, file), `${line}\n`);
}

/** Records a secret value. The canary checks that no response, log line or built file contains it. */
export function recordSecret(bytes: Uint8Array): void {
  record("secrets.txt", Buffer.from(bytes).toString("hex"));
}

let targetApp: string | undefined;

/** Sends all later calls to this app, behind server.ts, instead of the shared app. */
export function setTargetApp(url: string): void {
  if (targetApp !== url) authText = undefined;
  targetApp = url;
}

/** Returns the base URL for calls, and the header that states the caller's address there. */
export function resolveTarget(address: string): { base: string; addressHeader: Record<string, string> } {
  const serverKind = targetApp === undefined ? inject("serverKind") : "server";
  const header = serverKind === "server" ? "x-forwarded-for" : "x-test-address";
  return { base: targetApp ?? inject("apps")[serverKind], addressHeader: { [header]: address } };
}

/**
 * Checks an answer of the app under test against its contract. Skips malformed requests that Next alone refuses before
 * any route.
 */
export function checkAnswerOfApp(method: string, path: string, answer: CheckedAnswer): void {
  const isRefusedByNext =
    targetApp === undefined && inject("serverKind") === "next" && !answer.headers.has("x-request-id");
  if (isRefusedByNext && answer.status >= 300) return;
  checkAnswer(method, path, answer);
}

/** Calls the app under test. Checks the answer against its contract and records it for the canary. */
export async function callApi<const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  options: CallOptions = {},
): Promise<Answer<DataAt<Method, Path>>> {
  const { body, rawBody, address = createCallerAddress() } = options;
  const { base, addressHeader } = resolveTarget(address);
  const contentType: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers: { ...addressHeader, ...contentType, ...options.headers },
    body: rawBody ?? (body === undefined ? undefined : JSON.stringify(body)),
    redirect: "manual",
  });
  const text = await response.text();
  record("responses.txt", text);
  checkAnswerOfApp(method, path, { status: response.status, headers: response.headers, text });
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null };
}

export const get = <const Path extends string>(path: Path, options?: CallOptions) => callApi("GET", path, options);
export const post = <const Path extends string>(path: Path, body: unknown, options?: CallOptions) =>
  callApi("POST", path, { ...options, body });

/** Returns the data of a successful answer. @throws Error with the answer when it failed */
export async function readData<Data>(pending: Answer<Data> | Promise<Answer<Data>>): Promise<Data> {
  const answer = await pending;
  if (answer.body?.ok !== true) throw new Error(`expected a success, got ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

export interface Wallet {
  address: string;
  keys: nacl.SignKeyPair;
  /** The sign-in headers x-wallet and x-signature. */
  headers: Record<string, string>;
}

/** Creates a wallet with sign-in headers. */
export async function createWallet(): Promise<Wallet> {
  authText ??= (await readData(get("/api/auth"))).message;
  const keys = nacl.sign.keyPair();
  const signature = signText(keys, authText);
  const address = bs58.encode(keys.publicKey);
  return { address, keys, headers: { "x-wallet": address, "x-signature": signature } };
}
let authText: string | undefined;

/** Returns the base64 signature of a text and records it as a secret. */
export function signText(keys: nacl.SignKeyPair, text: string): string {
  const signature = nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey);
  recordSecret(signature);
  return Buffer.from(signature).toString("base64");
}

/** Funds a wallet with play money through the API, so that a later read through the API includes it. */
export async function fund(address: string, sol: number, usdc?: number): Promise<void> {
  await readData(post("/api/sandbox/airdrop", { address, sol, usdc }));
}

/** Signs a transaction with those of the given keys whose signature the transaction requires. @returns base64 */
export function signTransaction(base64: string, ...signers: nacl.SignKeyPair[]): string {
  const wallets = signers.map((keys) => ({ address: bs58.encode(keys.publicKey), keys }));
  return toBase64(signTransactionBytes(Buffer.from(base64, "base64"), ...wallets));
}

/** Derives a wallet's service wallet on the server. Records the signature as a secret, because it is key material. */
export async function deriveServiceWallet(
  wallet: Wallet,
  index = 0,
): Promise<{ address: string; keys: nacl.SignKeyPair }> {
  const { message, kdf } = await readData(get("/api/wallet/derive"));
  const signature = signText(wallet.keys, message);
  const derived = await readData(post("/api/wallet/derive", { signature, index }, { headers: wallet.headers }));
  const info = `solana:${wallet.address}:${index}`;
  const seed = new Uint8Array(hkdfSync("sha256", Buffer.from(signature, "base64"), kdf.salt, info, kdf.length));
  recordSecret(seed);
  return { address: derived.publicKey, keys: nacl.sign.keyPair.fromSeed(seed) };
}

/** Posts signed bytes until the transaction has landed or failed. @throws Error when it stays pending */
export async function postSigned(signedTransaction: string, headers: Record<string, string>) {
  for (let attempt = 0; attempt < 4; attempt++) {
    const answer = await post("/api/swap/execute", { signedTransaction }, { headers });
    if (answer.status !== 202) return answer;
  }
  throw new Error("the transaction stayed pending");
}
