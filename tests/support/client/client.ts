import { appendFileSync } from "node:fs";
import { join } from "node:path";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { inject } from "vitest";
import type { CONTRACTS } from "../../../lib/contracts";
import type { DataOf } from "../../../lib/contracts/define";
import type { ErrorCode, Issue } from "../../../lib/errors";
import type { Doors } from "../app/global-setup";
import { type Answered, checkAnswer } from "./contract-check";

/** The envelope; what only the other kind has may be looked for in both. */
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
  /** Null when it is no JSON. */
  body: Body<Data> | null;
}

type Registered = (typeof CONTRACTS)[number];
/** `/api/keys/{id}` as `/api/keys/${string}`. */
type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;
type Asked<Path extends string> = Filled<Path> | `${Filled<Path>}?${string}`;
type ContractAt<Method, Path, C = Registered> = C extends { method: Method; path: infer Declared extends string }
  ? Path extends Asked<Declared>
    ? C
    : never
  : never;
/** What a success of this method at this path carries, by the contracts; unknown where none declares it. */
export type DataAt<Method, Path> = [ContractAt<Method, Path>] extends [never]
  ? unknown
  : DataOf<ContractAt<Method, Path>>;

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
  /** The caller's address; a new one for each call when absent, so that the limit never interferes. */
  address?: string;
}

let lastAddress = Buffer.from(nacl.randomBytes(3)).readUIntBE(0, 3);

/** Another address for every call that does not name one: in turn, as among thousands drawn by chance some would be the same. */
export function newAddress(): string {
  lastAddress = (lastAddress + 1) % 2 ** 24;
  return `10.${lastAddress >> 16}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

/** Absent where no shared app was started. */
const recordings = () => (inject("doors") as Doors | undefined)?.recordings;

/** For the canary, when there is one. */
export function record(file: "responses.txt" | "secrets.txt", line: string): void {
  const folder = recordings();
  if (folder) appendFileSync(join(folder, file), `${line}\n`);
}

/** A value that no response, log line or built file may show; the canary looks for it at the end. */
export function keepSecret(bytes: Uint8Array): void {
  record("secrets.txt", Buffer.from(bytes).toString("hex"));
}

let ownApp: string | undefined;

/** From now on everything here calls this app, behind server.ts, instead of the shared one through the door under test. */
export function aimAt(url: string): void {
  if (ownApp !== url) authText = undefined;
  ownApp = url;
}

/** Where calls go, and the header that says the caller's address there. */
export function target(address: string): { base: string; stamp: Record<string, string> } {
  if (ownApp !== undefined) return { base: ownApp, stamp: { "x-forwarded-for": address } };
  const door = inject("door");
  const stamp: Record<string, string> =
    door === "server" ? { "x-forwarded-for": address } : { "x-test-address": address };
  return { base: inject("doors")[door], stamp };
}

/** Holds an answer of the door under test against its contract. Next alone refuses malformed requests before any route. */
export function checkHere(method: string, path: string, answer: Answered): void {
  const isNexts = ownApp === undefined && inject("door") === "next" && !answer.headers.has("x-request-id");
  if (isNexts && answer.status >= 300) return;
  checkAnswer(method, path, answer);
}

/** Calls the app through the door under test. Every answer is held against its contract and recorded for the canary. */
export async function call<const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  options: CallOptions = {},
): Promise<Answer<DataAt<Method, Path>>> {
  const { body, raw, address = newAddress() } = options;
  const { base, stamp } = target(address);
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers: { ...stamp, ...type, ...options.headers },
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    redirect: "manual",
  });
  const text = await response.text();
  record("responses.txt", text);
  checkHere(method, path, { status: response.status, headers: response.headers, text });
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null };
}

export const get = <const Path extends string>(path: Path, options?: CallOptions) => call("GET", path, options);
export const post = <const Path extends string>(path: Path, body: unknown, options?: CallOptions) =>
  call("POST", path, { ...options, body });

/** The data of a success. @throws with the answer when it is none */
export async function data<Data>(pending: Answer<Data> | Promise<Answer<Data>>): Promise<Data> {
  const answer = await pending;
  if (answer.body?.ok !== true) throw new Error(`expected a success, got ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

export interface Wallet {
  address: string;
  keys: nacl.SignKeyPair;
  /** x-wallet and x-signature. */
  headers: Record<string, string>;
}

/** A new wallet with its sign-in headers, made with tweetnacl as a browser would. */
export async function newWallet(): Promise<Wallet> {
  authText ??= (await data(get("/api/auth"))).message;
  const keys = nacl.sign.keyPair();
  const signature = signText(keys, authText);
  const address = bs58.encode(keys.publicKey);
  return { address, keys, headers: { "x-wallet": address, "x-signature": signature } };
}
let authText: string | undefined;

/** Base64 signature of a text; the signature is a secret of this run. */
export function signText(keys: nacl.SignKeyPair, text: string): string {
  const signature = nacl.sign.detached(new TextEncoder().encode(text), keys.secretKey);
  keepSecret(signature);
  return Buffer.from(signature).toString("base64");
}

/** Play money; through the API, so a read that follows sees it. */
export async function fund(address: string, sol: number): Promise<void> {
  await data(post("/api/sandbox/airdrop", { address, sol }));
}

/** Signs a transaction for every given key that it asks for. */
export function signTransaction(base64: string, ...signers: nacl.SignKeyPair[]): string {
  const bytes = Buffer.from(base64, "base64");
  const count = bytes[0]!;
  const message = bytes.subarray(1 + 64 * count);
  const keysAt = message[0]! & 0x80 ? 5 : 4;
  for (let i = 0; i < count; i++) {
    const key = message.subarray(keysAt + 32 * i, keysAt + 32 * (i + 1));
    const signer = signers.find(({ publicKey }) => key.equals(publicKey));
    if (signer) bytes.set(nacl.sign.detached(message, signer.secretKey), 1 + 64 * i);
  }
  return bytes.toString("base64");
}

/** Derives a wallet's service wallet on the server. The signature is key material. */
export async function deriveServiceWallet(
  wallet: Wallet,
  index = 0,
): Promise<{ address: string; keys: nacl.SignKeyPair }> {
  const { message, kdf } = await data(get("/api/wallet/derive"));
  const signature = signText(wallet.keys, message);
  const derived = await data(post("/api/wallet/derive", { signature, index }, { headers: wallet.headers }));
  const { hkdfSync } = await import("node:crypto");
  const info = `solana:${wallet.address}:${index}`;
  const seed = new Uint8Array(hkdfSync("sha256", Buffer.from(signature, "base64"), kdf.salt, info, kdf.length));
  keepSecret(seed);
  return { address: derived.publicKey, keys: nacl.sign.keyPair.fromSeed(seed) };
}

/** Posts signed bytes until they are known to have landed or to have failed. */
export async function execute(signedTransaction: string, headers: Record<string, string>) {
  for (let attempt = 0; attempt < 4; attempt++) {
    const answer = await post("/api/swap/execute", { signedTransaction }, { headers });
    if (answer.status !== 202) return answer;
  }
  throw new Error("the transaction stayed pending");
}
