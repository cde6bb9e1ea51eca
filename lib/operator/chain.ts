import { Connection, type Keypair, type PublicKey, VersionedTransaction } from "@solana/web3.js";
import { BLOCKHASH_BLOCKS, type ExpiryBound } from "../domain/expiry";
import { buildBudgetInstructions, chooseBudget, NO_PRIORITY_FEE, type PriorityFee } from "../solana/budget";
import { COMMITMENT } from "../solana/commitment";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { buildSystemTransfer } from "../solana/system-instructions";
import { composeTransaction } from "../solana/transactions";
import { OperatorFailure } from "./failure";

/** The node methods that the operator command uses. */
export type Chain = Pick<
  Connection,
  | "rpcEndpoint"
  | "getMultipleAccountsInfo"
  | "getMinimumBalanceForRentExemption"
  | "getFeeForMessage"
  | "getLatestBlockhash"
  | "getLatestBlockhashAndContext"
  | "getRecentPrioritizationFees"
  | "getEpochInfo"
  | "simulateTransaction"
  | "sendRawTransaction"
  | "getSignatureStatuses"
>;

/** The public keys of the operator's accounts. */
export interface OperatorAccounts {
  /** In their fixed order. */
  collectors: readonly PublicKey[];
  funder: PublicKey;
  treasury: PublicKey;
}

/** Balances at COMMITMENT. A balance is 0 for an account that does not exist. */
export interface Balances {
  /** The rent-exempt minimum of an account without data. */
  rentMinimumLamports: bigint;
  /** In the collectors' order. */
  collectorLamports: readonly bigint[];
  funderLamports: bigint;
  treasuryLamports: bigint;
  /** The program that owns the treasury account. Null when the account does not exist. */
  treasuryOwner: string | null;
}

/** Time limit of one attempt of a call, ms. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Opens a connection to a node. Each call has one retry, after a timeout or another transport error. */
export function openConnection(rpcUrl: string): Connection {
  const fetchOnce: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  return new Connection(rpcUrl, {
    commitment: COMMITMENT,
    disableRetryOnRateLimit: true,
    // A retry is safe for every method of Chain: a transaction that is sent twice lands once.
    fetch: (input, init) => fetchOnce(input, init).catch(() => fetchOnce(input, init)),
  });
}

/** Reads all balances. @throws {OperatorFailure} when the node does not answer, or gives an impossible answer */
export async function readBalances(
  chain: Chain,
  { collectors, funder, treasury }: OperatorAccounts,
): Promise<Balances> {
  const addresses = [...collectors, funder, treasury];
  const [rentMinimum, accounts] = await requestChain(chain, "the balances", () =>
    Promise.all([chain.getMinimumBalanceForRentExemption(0), chain.getMultipleAccountsInfo(addresses)]),
  );
  // web3.js returns 0 when the node answers with an error. A sweep with a minimum of 0 would close the collectors.
  if (rentMinimum <= 0) throw new OperatorFailure(`${getNodeName(chain)} did not say what the rent-exempt minimum is.`);
  const balances = accounts.map((account) => toLamports(account?.lamports ?? 0));
  const [funderLamports = 0n, treasuryLamports = 0n] = balances.slice(collectors.length);
  return {
    rentMinimumLamports: toLamports(rentMinimum),
    collectorLamports: balances.slice(0, collectors.length),
    funderLamports,
    treasuryLamports,
    treasuryOwner: accounts[collectors.length + 1]?.owner.toBase58() ?? null,
  };
}

/**
 * Returns whether a wallet key or a multisig's vault can spend the SOL of an account.
 * @param owner the program that owns the account, or null when the account does not exist
 */
export const isPlainAccount = (owner: string | null) => owner === null || owner === SYSTEM_PROGRAM;

/**
 * Returns the node's current network fee, in lamports, for a transaction with one signature and a transfer to each of
 * `recipients`.
 * @throws {OperatorFailure} when the node gives no fee
 */
export async function readTransferFee(
  chain: Chain,
  payer: PublicKey,
  recipients: readonly PublicKey[],
  priority = NO_PRIORITY_FEE,
): Promise<bigint> {
  const transfers = recipients.map((to) => ({ to, lamports: 1n }));
  const fee = await requestChain(chain, "the network fee", async () => {
    const { blockhash } = await chain.getLatestBlockhash();
    return (await chain.getFeeForMessage(composeTransfers(payer, transfers, blockhash, priority).message)).value;
  });
  if (fee === null) throw new OperatorFailure(`${getNodeName(chain)} did not say what a transfer costs; run it again.`);
  return toLamports(fee);
}

export interface Recipient {
  to: PublicKey;
  lamports: bigint;
}

/** A signed transaction, and the bound after which it has expired. */
export interface SignedTransfers {
  transaction: VersionedTransaction;
  expiryBound: ExpiryBound;
}

/**
 * Signs one transaction on a fresh blockhash that pays every recipient. The payer also pays the fee.
 * @throws {OperatorFailure} when the node gives no blockhash
 */
export async function signTransfers(
  chain: Chain,
  payer: Keypair,
  recipients: readonly Recipient[],
  priority = NO_PRIORITY_FEE,
): Promise<SignedTransfers> {
  const { context, value } = await requestChain(chain, "a blockhash", () => chain.getLatestBlockhashAndContext());
  const { blockhash, lastValidBlockHeight } = value;
  const transaction = composeTransfers(payer.publicKey, recipients, blockhash, priority);
  transaction.sign([payer]);
  const frame = { slot: context.slot, height: lastValidBlockHeight - BLOCKHASH_BLOCKS };
  return { transaction, expiryBound: { lastValidBlockHeight, frame } };
}

/**
 * Runs a node request and turns errors into one sentence. The sentence omits the URL's path and query, where providers
 * put the API key.
 * @param valueName names the requested value in that sentence
 * @throws {OperatorFailure} when the request fails
 */
export async function requestChain<T>(chain: Chain, valueName: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [firstLine = ""] = reason.replaceAll(chain.rpcEndpoint, getNodeName(chain)).split("\n");
    throw new OperatorFailure(`${getNodeName(chain)} could not be asked for ${valueName}: ${firstLine.slice(0, 160)}`);
  }
}

/** Returns the node's scheme, host and port. */
export function getNodeName(chain: Pick<Chain, "rpcEndpoint">): string {
  return new URL(chain.rpcEndpoint).origin;
}

function composeTransfers(
  payer: PublicKey,
  recipients: readonly Recipient[],
  blockhash: string,
  priority: PriorityFee,
): VersionedTransaction {
  const from = payer.toBase58();
  const transfers = recipients.map(({ to, lamports }) => buildSystemTransfer(from, to.toBase58(), lamports));
  const instructions = [...buildBudgetInstructions(chooseBudget(transfers, priority)), ...transfers];
  const { bytes } = composeTransaction({ payer: from, instructions, blockhash });
  return VersionedTransaction.deserialize(bytes);
}

function toLamports(value: number): bigint {
  // A JSON number beyond 2^53 has already lost digits.
  if (!Number.isSafeInteger(value) || value < 0)
    throw new OperatorFailure("The node answered an amount that cannot be.");
  return BigInt(value);
}
