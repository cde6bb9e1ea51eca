import { Connection, Keypair, PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type nacl from "tweetnacl";
import { expect, inject, vi } from "vitest";
import { sandboxRpc } from "../app/app";
import {
  createWallet,
  type DataAt,
  deriveServiceWallet,
  fund,
  post,
  postSigned,
  readData,
  signTransaction,
  type Wallet,
} from "../client/client";
import { buildSigned } from "./sandbox-rig";

/* Accesses the sandbox chain through its JSON-RPC, without the service. */

let connection: Connection | undefined;
/** Sends later calls to this sandbox instead of the shared one. */
export function setTargetRpc(url: string): void {
  connection = new Connection(url, "confirmed");
}
/** Returns the connection to the sandbox's JSON-RPC. Opens it on the first call. */
export function getConnection(): Connection {
  connection ??= new Connection(inject("apps").rpc, "confirmed");
  return connection;
}

/** Returns the lamports of each address; 0 when the account does not exist. */
export async function readLamports(...addresses: string[]): Promise<number[]> {
  const accounts = await getConnection().getMultipleAccountsInfo(addresses.map((address) => new PublicKey(address)));
  return accounts.map((account) => account?.lamports ?? 0);
}

/** Runs `work`. @returns how much it changed the lamports of each address */
export async function measureLamportChanges(addresses: string[], work: () => Promise<unknown>): Promise<number[]> {
  const lamportsBefore = await readLamports(...addresses);
  await work();
  const lamportsAfter = await readLamports(...addresses);
  return lamportsAfter.map((lamports, i) => lamports - lamportsBefore[i]!);
}

/** Relays the user's transaction. Expects it to move exactly the amounts of the breakdown. @returns the signature */
export async function expectBreakdownMoved(
  { user, serviceWallet }: Saver,
  signedTransaction: string,
  breakdown: Breakdown,
): Promise<string> {
  const { totalLamports, userInvestmentLamports, activationLamports, serviceFeeLamports, feeCollector } = breakdown;
  const parties = [user.address, serviceWallet.address, feeCollector];
  let txSignature = "";
  const changes = await measureLamportChanges(parties, async () => {
    ({ txSignature } = await readData(postSigned(signedTransaction, user.headers)));
  });
  expect(changes).toEqual([-totalLamports, userInvestmentLamports + activationLamports, serviceFeeLamports]);
  return txSignature;
}

type Breakdown = DataAt<"POST", "/api/wrap">["breakdown"];

/** Returns the rent-exempt minimum of an account with this many bytes, in lamports. */
export const readRent = (bytes = 0) => getConnection().getMinimumBalanceForRentExemption(bytes);

/** Makes a JSON-RPC method or a path of the market answer with errors. With `*`, all of them do. */
export async function stageFault(target: string): Promise<void> {
  await sandboxRpc(inject("apps").rpc, "sandbox_setFault", [{ target, mode: "error" }]);
}

/** Removes all staged faults. Call it in afterEach, because a fault must not outlast its test. */
export async function removeFaults(): Promise<void> {
  const { rpc } = inject("apps");
  await sandboxRpc(rpc, "sandbox_setFault", [{ target: "*", mode: "off" }]);
  await sandboxRpc(rpc, "sandbox_dropTransactions", [false]);
  for (const symbol of ["BTC", "ETH", "SOL", "USDC", "USDT"]) await sandboxRpc(rpc, "sandbox_setPrice", [symbol, null]);
}

/** Advances the chain by 200 slots. Resolves when the service builds on a newer blockhash. */
export async function expireBlockhashes(): Promise<void> {
  await sandboxRpc(inject("apps").rpc, "sandbox_advanceSlots", [200]);
  const height = await getConnection().getBlockHeight();
  const [user, recipient] = [await createWallet(), await createWallet()];
  const body = { txValueUsd: 0.5, plan: "forest", userPubkey: user.address, serviceWalletPubkey: recipient.address };
  const readLastValidBlockHeight = async () => {
    const { transaction } = await readData(post("/api/wrap", body, { headers: user.headers }));
    return transaction!.lastValidBlockHeight;
  };
  // Uses `vi.waitFor`, because `expect.poll` works only inside a test and setup code calls this function too.
  await vi.waitFor(async () => expect(await readLastValidBlockHeight()).toBeGreaterThan(height), { timeout: 30_000 });
}

export function buildTransfer(from: string, to: string, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: new PublicKey(from), toPubkey: new PublicKey(to), lamports });
}

interface TransactionParts {
  /** The first signer pays the fee. */
  signers: { keys: nacl.SignKeyPair }[];
  instructions: TransactionInstruction[];
  /** Default: a recent blockhash. */
  blockhash?: string;
  isLegacy?: boolean;
}

/** Builds a transaction as an independent app would, signed by every given signer. */
export async function buildSignedTransaction({
  signers,
  instructions,
  blockhash,
  isLegacy,
}: TransactionParts): Promise<string> {
  const keypairs = signers.map(({ keys }) => Keypair.fromSecretKey(keys.secretKey));
  const recentBlockhash = blockhash ?? (await getConnection().getLatestBlockhash()).blockhash;
  const transaction = buildSigned(recentBlockhash, keypairs, instructions, isLegacy);
  return Buffer.from(transaction.serialize()).toString("base64");
}

/** Sends a transaction to the chain without the service and without preflight. @returns the signature */
export function sendDirectly(signedTransaction: string): Promise<string> {
  return getConnection().sendRawTransaction(Buffer.from(signedTransaction, "base64"), { skipPreflight: true });
}

export interface Saver {
  user: Wallet;
  serviceWallet: { address: string; keys: nacl.SignKeyPair };
}

/** Creates a funded wallet and its service wallet, which the service derives. */
export async function createSaver({ userSol = 1, serviceSol = 0 } = {}): Promise<Saver> {
  const user = await createWallet();
  const serviceWallet = await deriveServiceWallet(user);
  if (userSol > 0) await fund(user.address, userSol);
  if (serviceSol > 0) await fund(serviceWallet.address, serviceSol);
  return { user, serviceWallet };
}

/** Requests the build of a saving for a saver. @param fields the other fields of the request */
export function requestSaving<const Path extends "/api/wrap" | "/api/wrap/batch" | "/api/topup">(
  { user, serviceWallet }: Saver,
  path: Path,
  fields: object,
) {
  const body = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address, ...fields };
  return post(path, body, { headers: user.headers });
}

/** Builds a wrap for a saver. @param fields the other fields of the request */
export const buildWrapFor = (saver: Saver, fields: object) => readData(requestSaving(saver, "/api/wrap", fields));

/** Swaps all available SOL of a service wallet into assets, and waits until it has landed. @returns the build */
export async function buyAssets({ user, serviceWallet }: Saver, fields: Record<string, unknown>) {
  const body = { serviceWalletPubkey: serviceWallet.address, ...fields };
  const build = await readData(post("/api/swap/build", body, { headers: user.headers }));
  for (const { transaction } of build.transactions) {
    await readData(postSigned(signTransaction(transaction, serviceWallet.keys), user.headers));
  }
  return build;
}

/** Matches an upstream's texts, addresses and codes, which no answer may contain. */
export const UPSTREAM_TEXT_PATTERN =
  /Internal error|not JSON|<html|-32603|127\.0\.0\.1|localhost|swap\/v2|price\/v3|at .+\.ts:\d/;
