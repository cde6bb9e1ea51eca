import bs58 from "bs58";
import nacl from "tweetnacl";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import type { DataOf } from "../../../lib/contracts/define";
import { deriveWalletContract } from "../../../lib/contracts/derive-wallet";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { deriveServiceWalletSeed } from "../../../lib/domain/service-wallet";
import { AppError, type ErrorCode } from "../../../lib/errors";
import type { SignatureState } from "../../../lib/ports/solana-rpc";
import { buildWrap } from "../../../lib/services/build-wrap";
import { deriveWallet } from "../../../lib/services/derive-wallet";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
  createFakeDeps,
  createSolAccount,
  type FakeDeps,
  listSends,
  runFor,
} from "../fakes/fake-deps";
import { signText, signTransaction, type TestWallet, toTestWallet } from "../fixtures/test-wallets";
import { SERVICE_WALLET_TEXT } from "../fixtures/wallet-texts";
import { toWalletContext } from "./keys-rig";

export const user = toTestWallet("user");
export const stranger = toTestWallet("stranger");

/** Longer than any call of the relay, in milliseconds. */
export const LONG_MS = 60_000;

type Execution = DataOf<typeof executeTransactionContract>;

/** Hides a transaction from the chain until it has been sent `sends` times. */
export function landAfterSends(deps: FakeDeps, sends: number, state: SignatureState = createConfirmedState(77)): void {
  deps.chain.getStatus = () => (listSends(deps).length >= sends ? state : null);
}

/** Starts to post signed bytes. The test advances the time. */
export const startPosting = (deps: FakeDeps, transaction: Uint8Array) =>
  executeTransaction(
    deps,
    parseInput(executeTransactionContract, { signedTransaction: toBase64(transaction) }),
    toWalletContext(user),
  );

/** Posts signed bytes and advances the time until the answer arrives. */
export async function postSigned(deps: FakeDeps, transaction: Uint8Array): Promise<Execution> {
  const pending = startPosting(deps, transaction);
  return executeTransactionContract.data.parse(await runFor(LONG_MS, deps, pending));
}

/** Returns the code of a refusal. @throws every other error */
export function readErrorCode(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code;
  throw error;
}

/** Returns whether a store call decides to send a message or to refuse it. */
export const isSendDecision = ({ method, args }: Parameters<FakeDeps["beforeCall"]>[0]) =>
  method === "setIfAbsent" && String(args[0]).startsWith("relayed-message:");

/** Returns the first signature of a transaction, base58. */
export const readSignature = (transaction: Uint8Array) => bs58.encode(transaction.subarray(1, 65));

/** Builds a signed transaction as an independent app does, so that the service did not build it. */
export function buildTransaction(instructions: InstructionLike[], signers: TestWallet[] = [user], blockhash?: string) {
  const payer = signers[0]!.address;
  const { bytes } = composeTransaction({ payer, instructions, blockhash: blockhash ?? createBlockhash(9) });
  return signTransaction(bytes, ...signers);
}

/** Builds a signed payment of 1,000,000 lamports from the user to a stranger. */
export const buildPayment = () => buildTransaction([buildSystemTransfer(user.address, stranger.address, 1_000_000n)]);

/** Derives the user's service wallet and returns its address. Later deposits into the wallet require the fee. */
export async function deriveServiceWallet(deps: FakeDeps): Promise<string> {
  const input = parseInput(deriveWalletContract, { signature: signText(user, SERVICE_WALLET_TEXT) });
  return (await deriveWallet(deps, input, toWalletContext(user))).publicKey;
}

/** The user's service wallet, which `deriveServiceWallet` registers. */
export const ownServiceWallet: TestWallet = createOwnServiceWallet();

function createOwnServiceWallet(): TestWallet {
  const signature = Buffer.from(signText(user, SERVICE_WALLET_TEXT), "base64");
  const keys = nacl.sign.keyPair.fromSeed(deriveServiceWalletSeed(signature, user.address, 0));
  return { address: bs58.encode(keys.publicKey), keys };
}

/** Stages a user with SOL, a service wallet and a signed wrap that this service built. */
export async function stageWrap(): Promise<{ deps: FakeDeps; wrap: Uint8Array; serviceWallet: string }> {
  const deps = createFakeDeps();
  const serviceWallet = await deriveServiceWallet(deps);
  deps.chain.accounts.set(user.address, createSolAccount(1_000_000_000n));
  const wrap = await signWrap(deps, serviceWallet);
  deps.calls.length = 0;
  return { deps, wrap, serviceWallet };
}

/** Signs the transaction of a build as the user. */
export const signBuild = ({ transaction }: { transaction: { base64: string } | null }) =>
  signTransaction(Buffer.from(transaction!.base64, "base64"), user);

/** Builds a wrap of a $27.63 purchase through the service. Returns the bytes with the user's signature. */
export async function signWrap(deps: FakeDeps, serviceWallet: string): Promise<Uint8Array> {
  const purchase = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  return signBuild(await buildWrap(deps, parseInput(buildWrapContract, purchase)));
}
