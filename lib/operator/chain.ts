import {
  Connection,
  type Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import type { OperatorEnv } from "../env";
import { budgetInstructions, budgetOf, NO_PRIORITY, type Priority, percentile } from "../solana/priority";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { systemTransfer } from "../solana/system-instructions";
import { OperatorFailure } from "./failure";

/** What the operator command asks of a Solana node. */
export type Chain = Pick<
  Connection,
  | "rpcEndpoint"
  | "getMultipleAccountsInfo"
  | "getMinimumBalanceForRentExemption"
  | "getFeeForMessage"
  | "getLatestBlockhash"
  | "getRecentPrioritizationFees"
  | "getBlockHeight"
  | "simulateTransaction"
  | "sendRawTransaction"
  | "getSignatureStatuses"
>;

/** Balances in lamports at commitment `confirmed`; 0 for an account that does not exist. */
export interface Ledger {
  /** Of an account without data. */
  rentMinimum: bigint;
  collectors: bigint[];
  funder: bigint;
  treasury: bigint;
  /** Program that owns the treasury account; null when it does not exist. */
  treasuryOwner: string | null;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** @param rpcUrl http(s) address of a node. Each call is given 10 s, and one more try when the transport fails. */
export function openChain(rpcUrl: string): Connection {
  const attempt: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  return new Connection(rpcUrl, {
    commitment: "confirmed",
    disableRetryOnRateLimit: true,
    // Trying again is safe for every call made here: sending the same bytes twice is one transaction.
    fetch: (input, init) => attempt(input, init).catch(() => attempt(input, init)),
  });
}

/** @throws {OperatorFailure} when the node does not answer, or answers what cannot be */
export async function readLedger(
  chain: Chain,
  keys: { collectors: readonly PublicKey[]; funder: PublicKey; treasury: PublicKey },
): Promise<Ledger> {
  const addresses = [...keys.collectors, keys.funder, keys.treasury];
  const [rentMinimum, accounts] = await ask(chain, "the balances", () =>
    Promise.all([chain.getMinimumBalanceForRentExemption(0), chain.getMultipleAccountsInfo(addresses)]),
  );
  // web3.js answers 0 when the node answered an error; sweeping by that would close the collectors.
  if (rentMinimum <= 0) throw new OperatorFailure(`${nodeName(chain)} did not say what the rent-exempt minimum is.`);
  const balances = accounts.map((account) => lamportsOf(account?.lamports ?? 0));
  const count = keys.collectors.length;
  return {
    rentMinimum: lamportsOf(rentMinimum),
    collectors: balances.slice(0, count),
    funder: balances[count] ?? 0n,
    treasury: balances[count + 1] ?? 0n,
    treasuryOwner: accounts[count + 1]?.owner.toBase58() ?? null,
  };
}

/** Whether SOL sent to the treasury stays spendable by a wallet key or a multisig's vault. */
export function isPlainAccount(owner: string | null): boolean {
  return owner === null || owner === SYSTEM_PROGRAM;
}

/** What transfers that write to these accounts are worth offering; nothing where the node does not say. */
export async function transferPriority(
  chain: Chain,
  accounts: PublicKey[],
  { percentile: percent, maxLamports }: OperatorEnv["priorityFee"],
): Promise<Priority> {
  try {
    const fees = await chain.getRecentPrioritizationFees({ lockedWritableAccounts: accounts });
    const prices = fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
    return { unitPrice: percentile(prices, percent), maxLamports };
  } catch {
    return NO_PRIORITY;
  }
}

/**
 * Network fee in lamports of a transaction with one signature and a SOL transfer to each of `recipients`, as the node prices it now.
 * @throws {OperatorFailure} when the node does not say
 */
export async function transferFee(
  chain: Chain,
  payer: PublicKey,
  recipients: readonly PublicKey[],
  priority = NO_PRIORITY,
): Promise<bigint> {
  const transfers = recipients.map((to) => ({ to, lamports: 1n }));
  const fee = await ask(chain, "the network fee", async () => {
    const { blockhash } = await chain.getLatestBlockhash();
    return (await chain.getFeeForMessage(transferMessage(payer, transfers, blockhash, priority))).value;
  });
  if (fee === null) throw new OperatorFailure(`${nodeName(chain)} did not say what a transfer costs; run it again.`);
  return lamportsOf(fee);
}

export interface SignedTransfers {
  transaction: VersionedTransaction;
  lastValidBlockHeight: number;
}

/**
 * One signed transaction on a fresh blockhash that pays every recipient, the payer paying the fee too.
 * @throws {OperatorFailure} when the node gives no blockhash
 */
export async function signTransfers(
  chain: Chain,
  payer: Keypair,
  recipients: readonly { to: PublicKey; lamports: bigint }[],
  priority = NO_PRIORITY,
): Promise<SignedTransfers> {
  const { blockhash, lastValidBlockHeight } = await ask(chain, "a blockhash", () => chain.getLatestBlockhash());
  const transaction = new VersionedTransaction(transferMessage(payer.publicKey, recipients, blockhash, priority));
  transaction.sign([payer]);
  return { transaction, lastValidBlockHeight };
}

/**
 * Runs a request to the node and turns what it throws into one sentence, without the address's path and query, where
 * providers put the key.
 * @throws {OperatorFailure}
 */
export async function ask<T>(chain: Chain, what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [line = ""] = reason.replaceAll(chain.rpcEndpoint, nodeName(chain)).split("\n");
    throw new OperatorFailure(`${nodeName(chain)} could not be asked for ${what}: ${line.slice(0, 160)}`);
  }
}

/** Scheme, host and port of the node. */
export function nodeName(chain: Pick<Chain, "rpcEndpoint">): string {
  return new URL(chain.rpcEndpoint).origin;
}

function transferMessage(
  payer: PublicKey,
  recipients: readonly { to: PublicKey; lamports: bigint }[],
  recentBlockhash: string,
  priority: Priority,
) {
  const transfers = recipients.map(({ to, lamports }) => systemTransfer(payer.toBase58(), to.toBase58(), lamports));
  const budget = budgetInstructions(budgetOf(transfers, priority));
  const instructions = [...budget, ...transfers].map(
    ({ programId, accounts, data }) =>
      new TransactionInstruction({
        programId: new PublicKey(programId),
        keys: accounts.map((account) => ({ ...account, pubkey: new PublicKey(account.pubkey) })),
        data: Buffer.from(data, "base64"),
      }),
  );
  return new TransactionMessage({ payerKey: payer, recentBlockhash, instructions }).compileToV0Message();
}

function lamportsOf(value: number): bigint {
  // JSON numbers beyond 2^53 have lost digits already.
  if (!Number.isSafeInteger(value) || value < 0)
    throw new OperatorFailure("The node answered an amount that cannot be.");
  return BigInt(value);
}
