import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { MEMO_PROGRAMS } from "../../../lib/sandbox/chain/decode-transaction";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { type Chain, RpcError } from "../../../lib/sandbox/chain/types";
import { encodeU64, type InstructionLike } from "../../../lib/solana/instructions";
import { NATIVE_MINT, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { createSleepClock } from "../fakes/manual-clock";
import { appendExtensions, type Extensions, encodeTokenAccount, STATE_OFFSET } from "../fixtures/token-account";

export const ONE_SOL = 1_000_000_000n;

export const toAddress = (keypair: Keypair) => keypair.publicKey.toBase58();
/** Creates the address of a new key pair. */
export const createAddress = () => toAddress(Keypair.generate());
export const readLamports = (chain: Chain, address: string) => chain.getAccount(address)?.lamports ?? 0n;

/** The members of an RpcContext for tests that read neither the market nor `sandbox_info`. */
export const UNUSED_METHODS = {
  getInfo: () => null,
  issueUsdc: () => "",
  setPrice: () => {},
  listDailyPrices: () => ({ BTC: [], ETH: [], SOL: [], USDC: [], USDT: [] }),
};

/**
 * Opens an unmodified web3.js connection without a network.
 * @param answer answers each request; with null the request fails
 */
export function connectInProcess(answer: (call: RpcRequest) => Promise<unknown>): Connection {
  const fetch = async (_address: unknown, init?: { body?: unknown }) => {
    const reply = await answer(JSON.parse(String(init?.body)));
    if (reply === null) throw new TypeError("fetch failed");
    return Response.json(reply);
  };
  return new Connection("http://sandbox.invalid", { commitment: "confirmed", fetch: fetch as typeof globalThis.fetch });
}

interface RpcRequest {
  method: string;
  params: unknown[];
}

/** Creates a chain whose time passes only when a test sets `clock.nowMs` or waits for `clock.sleep`. */
export function openStoppedChain() {
  const clock = createSleepClock(Date.UTC(2026, 9, 1));
  return { chain: openChain(clock), clock };
}

/** Creates a key pair and sends it 10 SOL. */
export function fundKeypair(chain: LocalChain): Keypair {
  const keypair = Keypair.generate();
  chain.airdrop(toAddress(keypair), 10n * ONE_SOL);
  return keypair;
}

/** Converts an instruction of the API or of lib/solana to web3.js. */
export function toWeb3({ programId, accounts, data }: InstructionLike): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: accounts.map((account) => ({ ...account, pubkey: new PublicKey(account.pubkey) })),
    data: Buffer.from(data, "base64"),
  });
}

export function buildPayment(from: Keypair, to: string | PublicKey, lamports: bigint | number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: new PublicKey(to), lamports });
}

/** Builds a memo without signers. */
export const buildMemo = (text: string) =>
  new TransactionInstruction({ programId: new PublicKey(MEMO_PROGRAMS[0]!), keys: [], data: Buffer.from(text) });

/** Builds a signed transaction, of version 0 unless it is legacy. The first signer pays the fee. */
export function buildSigned(
  blockhash: string,
  signers: Keypair[],
  instructions: TransactionInstruction[],
  isLegacy = false,
): VersionedTransaction {
  const message = new TransactionMessage({
    payerKey: signers[0]!.publicKey,
    recentBlockhash: blockhash,
    instructions,
  });
  const transaction = new VersionedTransaction(
    isLegacy ? message.compileToLegacyMessage() : message.compileToV0Message(),
  );
  transaction.sign(signers);
  return transaction;
}

/** Builds a transaction on the newest blockhash, signed by its payer. @returns wire bytes */
export const buildSignedBytes = (chain: Chain, payer: Keypair, ...instructions: TransactionInstruction[]): Uint8Array =>
  buildSigned(chain.getLatestBlockhash().blockhash, [payer], instructions).serialize();

/** Rethrows the error that a callback receives, so that no bug is swallowed. */
export const throwError = (error: unknown): never => {
  throw error;
};

/** Writes an account on the chain. Its lamports are the rent-exempt minimum of its data plus `extraLamports`. */
export function putAccount(
  chain: LocalChain,
  address: string,
  owner: string,
  data: Uint8Array,
  extraLamports = 0n,
): void {
  chain.setAccount(address, { lamports: chain.computeRentExemptMinimum(data.length) + extraLamports, owner, data });
}

/** Offsets of optional fields in a token account. Source: `Account` in spl-token's state.rs. */
const NATIVE_OFFSET = 109;
const CLOSE_AUTHORITY_OFFSET = 129;

/** Writes a token account with `amount` base units on the chain. Its default address is the associated account's. */
export function putTokens(
  chain: LocalChain,
  owner: string,
  mint: string,
  amount: bigint,
  {
    address = deriveAssociatedTokenAddress(owner, mint),
    program = TOKEN_PROGRAM,
    closeAuthority = "",
    isFrozen = false,
    extensions = [] as Extensions,
  } = {},
): void {
  const data = encodeTokenAccount(mint, owner, amount);
  const isNative = mint === NATIVE_MINT;
  if (isFrozen) data[STATE_OFFSET] = 2;
  if (closeAuthority) data.set([1, 0, 0, 0, ...bs58.decode(closeAuthority)], CLOSE_AUTHORITY_OFFSET);
  if (isNative) data.set([1, 0, 0, 0, ...encodeU64(chain.computeRentExemptMinimum(data.length))], NATIVE_OFFSET);
  putAccount(chain, address, program, appendExtensions(data, 2, extensions), isNative ? amount : 0n);
}

/** Creates a mint on the chain. @returns its address */
export function createMint(chain: LocalChain, authority: Keypair, decimals: number, owner: string): string {
  const mint = createAddress();
  putAccount(chain, mint, owner, encodeMint(toAddress(authority), decimals));
  return mint;
}

/** Returns the error with which a call is refused. @throws Error when the call succeeds */
export function catchRefusal(call: () => unknown): RpcError {
  try {
    call();
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  throw new Error("the call was not refused");
}

/**
 * Polls until `read` returns a truthy value, and returns the value.
 * @throws Error before the test's own timeout, so that the stack shows the waiting line
 */
export async function waitUntil<T>(read: () => T | null | undefined | false | Promise<T | null | undefined | false>) {
  const endsAt = Date.now() + 150_000;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > endsAt) throw new Error("the condition was not met within 150 seconds");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
