import { type AccountInfo, Connection, type Keypair, PublicKey, VersionedTransaction } from "@solana/web3.js";
import { deriveUsdcAccount, isUsdcAccountOf } from "../domain/dollar-accounts";
import { BLOCKHASH_BLOCKS, type ExpiryBound } from "../domain/expiry";
import { clampToZero } from "../domain/money";
import { buildBudgetInstructions, chooseBudget, NO_PRIORITY_FEE, type PriorityFee } from "../solana/budget";
import { COMMITMENT } from "../solana/commitment";
import type { InstructionLike } from "../solana/instructions";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
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

export interface OperatorAccounts {
  /** In their fixed order. */
  collectors: readonly PublicKey[];
  funder: PublicKey;
  treasury: PublicKey;
}

/** The associated USDC account of a collector or the treasury. */
export interface UsdcAccount {
  address: string;
  /** `blocked`: the account exists but cannot take USDC for its wallet, for example because its issuer has frozen it. */
  state: "open" | "missing" | "blocked";
  /** Micro-USDC. 0 unless the account is open. */
  units: bigint;
  /** The lamports that are needed to open the account. 0 unless it is missing. */
  depositLamports: bigint;
}

export type Balances = Readonly<Awaited<ReturnType<typeof readBalances>>>;

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

/**
 * Reads all balances at COMMITMENT. A balance is 0 for an account that does not exist.
 * @throws {OperatorFailure} when the node does not answer, or gives an impossible answer
 */
export async function readBalances(chain: Chain, { collectors, funder, treasury }: OperatorAccounts) {
  const wallets = [...collectors, treasury].map((key) => key.toBase58());
  const usdcKeys = wallets.map((wallet) => new PublicKey(deriveUsdcAccount(wallet)));
  const [rentMinimum, tokenRent, accounts] = await requestChain(chain, "the balances", () =>
    Promise.all([
      chain.getMinimumBalanceForRentExemption(0),
      chain.getMinimumBalanceForRentExemption(TOKEN_ACCOUNT_BYTES),
      chain.getMultipleAccountsInfo([...collectors, funder, treasury, ...usdcKeys]),
    ]),
  );
  // web3.js returns 0 when the node answers with an error. A sweep with a minimum of 0 would close the collectors.
  if (rentMinimum <= 0 || tokenRent <= 0)
    throw new OperatorFailure(`${getNodeName(chain)} did not say what the rent-exempt minimum is.`);
  const [funderAccount, treasuryAccount, ...usdcAccounts] = accounts.slice(collectors.length);
  const readUsdc = (wallet: string, index: number) =>
    toUsdcAccount(wallet, usdcAccounts[index] ?? null, toLamports(tokenRent));
  const readLamports = (account: { lamports: number } | null | undefined) => toLamports(account?.lamports ?? 0);
  const usdc = wallets.map(readUsdc);
  return {
    /** The rent-exempt minimum of an account without data. */
    rentMinimumLamports: toLamports(rentMinimum),
    /** In the collectors' order, like their USDC. */
    collectorLamports: accounts.slice(0, collectors.length).map(readLamports),
    funderLamports: readLamports(funderAccount),
    treasuryLamports: readLamports(treasuryAccount),
    /** The program that owns the treasury account. Null when the account does not exist. */
    treasuryOwner: treasuryAccount?.owner.toBase58() ?? null,
    collectorUsdc: usdc.slice(0, collectors.length),
    treasuryUsdc: usdc[collectors.length]!,
  };
}

function toUsdcAccount(wallet: string, info: AccountInfo<Uint8Array> | null, rentLamports: bigint): UsdcAccount {
  const address = deriveUsdcAccount(wallet);
  const account = info && { owner: info.owner.toBase58(), data: info.data };
  if (isUsdcAccountOf(wallet, account))
    return { address, state: "open", units: readTokenAmount(account!.data), depositLamports: 0n };
  if (!isPlainAccount(account?.owner ?? null)) return { address, state: "blocked", units: 0n, depositLamports: 0n };
  // Anyone can send SOL to the address before the account is opened. It counts towards the rent.
  const depositLamports = clampToZero(rentLamports - toLamports(info?.lamports ?? 0));
  return { address, state: "missing", units: 0n, depositLamports };
}

/**
 * Returns whether a wallet key or a multisig's vault can spend the SOL of an account.
 * @param owner the program that owns the account, or null when the account does not exist
 */
export const isPlainAccount = (owner: string | null) => owner === null || owner === SYSTEM_PROGRAM;

/**
 * Returns the node's current network fee for a transaction with these instructions, in lamports.
 * @throws {OperatorFailure} when the node gives no fee
 */
export async function readNetworkFee(
  chain: Chain,
  payer: PublicKey,
  instructions: readonly InstructionLike[],
  priority = NO_PRIORITY_FEE,
): Promise<bigint> {
  const fee = await requestChain(chain, "the network fee", async () => {
    const { blockhash } = await chain.getLatestBlockhash();
    return (await chain.getFeeForMessage(compose(payer, instructions, blockhash, priority).message)).value;
  });
  if (fee === null) throw new OperatorFailure(`${getNodeName(chain)} did not say what a transfer costs; run it again.`);
  return toLamports(fee);
}

export type SignedTransfers = Awaited<ReturnType<typeof signTransfers>>;

/**
 * Signs one transaction on a fresh blockhash. The first signer pays the fee. After `expiryBound` it has expired.
 * @throws {OperatorFailure} when the node gives no blockhash
 */
export async function signTransfers(
  chain: Chain,
  signers: readonly [payer: Keypair, ...others: Keypair[]],
  instructions: readonly InstructionLike[],
  priority = NO_PRIORITY_FEE,
) {
  const { context, value } = await requestChain(chain, "a blockhash", () => chain.getLatestBlockhashAndContext());
  const { blockhash, lastValidBlockHeight } = value;
  const transaction = compose(signers[0].publicKey, instructions, blockhash, priority);
  transaction.sign([...signers]);
  const frame = { slot: context.slot, height: lastValidBlockHeight - BLOCKHASH_BLOCKS };
  const expiryBound: ExpiryBound = { lastValidBlockHeight, frame };
  return { transaction, expiryBound };
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

function compose(
  payerKey: PublicKey,
  instructions: readonly InstructionLike[],
  blockhash: string,
  priority: PriorityFee,
): VersionedTransaction {
  const payer = payerKey.toBase58();
  const budget = buildBudgetInstructions(chooseBudget(instructions, priority));
  const { bytes } = composeTransaction({ payer, instructions: [...budget, ...instructions], blockhash });
  return VersionedTransaction.deserialize(bytes);
}

function toLamports(value: number): bigint {
  // A JSON number beyond 2^53 has already lost digits.
  if (!Number.isSafeInteger(value) || value < 0)
    throw new OperatorFailure("The node answered an amount that cannot be.");
  return BigInt(value);
}
