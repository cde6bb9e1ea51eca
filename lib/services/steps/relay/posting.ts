import bs58 from "bs58";
import type { AccountState } from "../../../domain/chain-accounts";
import type { SignedMark } from "../../../domain/marks";
import { type AccountOwner, type Movement, toTokenMovements } from "../../../domain/movements";
import { findAllowanceOwner, readInstructionMarks } from "../../../domain/read-marks";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { ReleasePlace } from "../../../ports/places";
import type { Caller } from "../../../ports/request-context";
import { fromBase64 } from "../../../solana/bytes";
import type { DecodedInstruction } from "../../../solana/instructions";
import { readInstructions } from "../../../solana/read-transaction";
import { isDurableNonce, readSystemMovements } from "../../../solana/system-instructions";
import { readTokenMint, readTokenOwner, TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import {
  findDerivation,
  isTokenProgram,
  readNewOwner,
  readTokenMovements,
  splitBatch,
} from "../../../solana/token-instructions";
import {
  decodeTransaction,
  listLookupTables,
  readTxSignature,
  resolveAccountKeys,
  type SignedTransaction,
  TransactionFault,
} from "../../../solana/transactions";
import { listFeeds } from "../../records/feeds";
import { type Bound, hasDecision, type ValidUntil } from "../../records/message-records";
import { type OpenFeed, PENDING_SET, type PendingEntry } from "../../records/pending";
import type { ServiceWalletRecord } from "../../records/service-wallets";

export interface Posting {
  readonly transaction: SignedTransaction;
  readonly txSignature: string;
  readonly marks: readonly SignedMark[];
  /** The feeds that the transaction's event belongs to, with that of `owner`. */
  readonly feeds: readonly string[];
  /** The wallet whose allowance the transaction says that it uses; null if it says none. */
  readonly owner: string | null;
}

/** A posting, and what the store knew of it. */
export interface KnownPosting extends Posting {
  /** The feeds that lack its event. */
  readonly openFeeds: OpenFeed[];
  /** The last block height at which its blockhash is valid; null if this service did not hand the blockhash out. */
  readonly validUntil: ValidUntil | null;
  /** The stored records of the service wallets among the payees. */
  readonly serviceWallets: ReadonlyMap<string, ServiceWalletRecord>;
  readonly newestSlot: NewestSlot;
}

/** A posting that pays its fee, if it owes one, and the transfers of its top-level instructions. */
export interface CheckedPosting extends KnownPosting {
  readonly movements: Movement[];
}

/** How long a transaction may land. */
export interface Landable {
  /** Null if no node could tell. It is then read again while the transaction is followed. */
  readonly bound: Bound | null;
  /** True if no node knew its blockhash, or if it may have landed before. Its state is then read before it is sent. */
  readonly mustReadStateFirst: boolean;
}

/** A posting that the network would not refuse, as far as nodes can tell. */
export interface SimulatedPosting extends CheckedPosting, Landable {}

export interface SendablePosting extends SimulatedPosting {
  readonly hasClaim: boolean;
  /** The entry by which this posting has listed the transaction as pending; null if it has listed none. */
  readonly pendingEntry: PendingEntry | null;
}

/** A transaction that is sent, or only followed, until its outcome is certain. */
export interface FollowedPosting extends Omit<Posting, "feeds" | "owner">, Landable {
  readonly serviceWallets?: ReadonlyMap<string, ServiceWalletRecord>;
  readonly pendingEntry: PendingEntry | null;
  /** True once this call has recorded that the message is sent. */
  readonly isRelayed: boolean;
  /** True if it is only followed to its outcome and never sent. */
  readonly isFollowedOnly: boolean;
}

/** The newest slot seen in any answer so far. A node that has not reached it lags. */
export class NewestSlot {
  #slot: number;
  constructor(slot: number) {
    this.#slot = slot;
  }
  get slot(): number {
    return this.#slot;
  }
  see(slot: number): void {
    this.#slot = Math.max(this.#slot, slot);
  }
}

const createPosting = (transaction: SignedTransaction, caller: Caller | null): Posting => {
  const owner = readAllowanceOwner(transaction);
  return {
    transaction,
    txSignature: readTxSignature(transaction),
    marks: readMarks(transaction),
    feeds: caller ? listFeeds([readPayer(transaction), ...(owner === null ? [] : [owner])], caller) : [],
    owner,
  };
};

/** Decodes a transaction that an earlier call has posted. It may have landed long ago. */
export function decodeEarlierPosting(transaction: string, bound: Bound | null): FollowedPosting {
  const posting = createPosting(decodeTransaction(fromBase64(transaction)!), null);
  return { ...posting, bound, mustReadStateFirst: true, pendingEntry: null, isRelayed: false, isFollowedOnly: false };
}

/** Decodes a posted transaction and checks it. @throws AppError invalid_transaction, transaction_not_signed */
export function decodePosting(deps: Deps, signedTransaction: string, caller: Caller): Posting {
  const transaction = decodeSignedTransaction(signedTransaction);
  verifySignatures(deps, transaction);
  if (isDurableNonce(transaction.decoded)) {
    throw new AppError("invalid_transaction", {
      message: "Durable-nonce transactions are not relayed; use a recent blockhash.",
    });
  }
  return createPosting(transaction, caller);
}

export const readPayer = ({ decoded }: SignedTransaction) => decoded.message.staticAccountKeys[0]!.toBase58();

function decodeSignedTransaction(base64: string): SignedTransaction {
  const bytes = fromBase64(base64);
  if (!bytes) throw new AppError("invalid_transaction", { message: "signedTransaction is not canonical base64." });
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionFault) throw new AppError("invalid_transaction", { message: error.message });
    throw error;
  }
}

function verifySignatures({ verifier }: Deps, { signers, signatures, message }: SignedTransaction): void {
  signers.forEach((signer, i) => {
    const signature = signatures[i]!;
    if (verifier.verify(signer, message, signature)) return;
    const fault = signature.every((byte) => byte === 0) ? "is missing" : "does not match the transaction";
    throw new AppError("transaction_not_signed", { message: `The signature of ${bs58.encode(signer)} ${fault}.` });
  });
}

export function readMarks(transaction: SignedTransaction): SignedMark[] {
  const { keys, instructions } = readStaticInstructions(transaction);
  // A stranger could otherwise take a wallet's claim by naming it in a memo. The network refuses that only when it runs.
  return readInstructionMarks(instructions).filter(
    ({ wallet, delegate }) => keys.indexOf(delegate ?? wallet) < transaction.signers.length,
  );
}

/** Returns the wallet whose allowance a transaction says that its payer uses; null if it says none. */
export function readAllowanceOwner(transaction: SignedTransaction): string | null {
  return findAllowanceOwner(readStaticInstructions(transaction).instructions, readPayer(transaction));
}

function readStaticInstructions({ decoded: { message } }: SignedTransaction) {
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return { keys, instructions: readKnownInstructions(message, keys) };
}

/** Reads the instructions. The network refuses a transaction without the keys of all programs, so it does nothing. */
const readKnownInstructions = (message: Message, keys: readonly string[]) =>
  message.compiledInstructions.every(({ programIdIndex }) => programIdIndex < keys.length)
    ? readInstructions(message, keys)
    : [];

type Message = SignedTransaction["decoded"]["message"];

/** Reads the transfers of the top-level instructions. Returns null if a lookup table is missing or too short. */
export async function readMovements(deps: Deps, posting: KnownPosting): Promise<Movement[] | null> {
  const { decoded } = posting.transaction;
  const tableAddresses = listLookupTables(decoded);
  const tableAccounts = tableAddresses.length > 0 ? await deps.rpc.readAccounts(tableAddresses) : [];
  const accountKeys = resolveAccountKeys(
    decoded,
    tableAccounts.map((account) => account?.data ?? null),
  );
  if (!accountKeys) return null;
  const instructions = readKnownInstructions(decoded.message, accountKeys);
  const tokenMovements = await readTransfersOfTokens(deps, posting, instructions);
  return [...readSystemMovements(decoded, accountKeys), ...tokenMovements];
}

/**
 * Reads the transfers of tokens between wallets. The transaction itself may open an account or give it away: tokens then
 * come from the owner before, and go to the owner after. A mark needs a node that has caught up, because a node that
 * lags lacks new accounts. A withdrawal must not wait for it.
 */
async function readTransfersOfTokens(
  { rpc, feeCollectors }: Deps,
  { marks, newestSlot, owner, serviceWallets, transaction }: KnownPosting,
  instructions: DecodedInstruction[],
): Promise<Movement[]> {
  const transfers = instructions.flatMap(readTokenMovements);
  if (transfers.length === 0) return [];
  const addresses = [...new Set(transfers.flatMap(({ source, destination }) => [source, destination]))];
  const payers = [...transaction.signers.map((signer) => bs58.encode(signer)), owner];
  const isPayee = (wallet: string) => serviceWallets.has(wallet) || feeCollectors.includes(wallet);
  // Of a saving that this process built, all accounts are derived. They need no call to a node.
  const isDerived = transfers.every(({ source, destination }) => {
    const [from, to] = [findDerivation(source), findDerivation(destination)];
    return from && to && payers.includes(from.owner) && isPayee(to.owner);
  });
  const accounts = isDerived
    ? []
    : marks.length > 0
      ? (await rpc.readAccountsAt(addresses, newestSlot.slot)).accounts
      : await rpc.readAccounts(addresses, { firstBytes: TOKEN_ACCOUNT_BYTES });
  const newOwners = instructions.flatMap(splitBatch).flatMap((instruction) => readNewOwner(instruction) ?? []);
  return toTokenMovements(transfers, (address, isSource) => {
    const account = accounts[addresses.indexOf(address)];
    const known = isDerived ? findDerivation(address) : account ? readAccountOwner(account) : null;
    const changes = newOwners.filter((change) => change.account === address);
    const mint = changes.findLast((change) => change.mint !== null)?.mint ?? known?.mint;
    if (isSource && known?.mint === mint) return known;
    const lastOwner = changes.at(-1)?.owner ?? known?.owner;
    return lastOwner && mint ? { owner: lastOwner, mint, isNew: known?.mint !== mint } : null;
  });
}

/** Lists the wallets to whose associated token accounts a transaction transfers, as far as this process knows them. */
export const listDerivedPayees = (transaction: SignedTransaction): string[] =>
  readStaticInstructions(transaction)
    .instructions.flatMap(readTokenMovements)
    .flatMap(({ destination }) => findDerivation(destination)?.owner ?? []);

/** Returns whether the transaction has an instruction of a token program. Programs are never in lookup tables. */
export const hasTokenInstructions = (transaction: SignedTransaction): boolean =>
  readStaticInstructions(transaction).instructions.some(({ program }) => isTokenProgram(program));

function readAccountOwner({ owner: program, data }: AccountState): AccountOwner | null {
  const [owner, mint] = [readTokenOwner(data), readTokenMint(data)];
  return isTokenProgram(program) && owner !== null && mint !== null ? { owner, mint } : null;
}

/** Most transactions land within it. */
const PLACE_RETRY_SECONDS = 5;
const NO_PLACE_TEXT =
  "You have as many transactions without an outcome as are allowed at a time. Retry-After says when to go on.";

/** Takes a place for the transaction. Bytes that were posted before always get one. @throws AppError rate_limited */
export async function takePlace(deps: Deps, posting: Posting): Promise<ReleasePlace | null> {
  const { txSignature, transaction } = posting;
  const payer = readPayer(transaction);
  const releasePlace = deps.places.takeForTransaction(txSignature, payer);
  if (releasePlace) return releasePlace;
  const isKnown =
    (await hasDecision(deps, transaction.message)) || (await deps.kv.readMember(PENDING_SET, txSignature));
  if (!isKnown) throw new AppError("rate_limited", { retryAfterSeconds: PLACE_RETRY_SECONDS, message: NO_PLACE_TEXT });
  return deps.places.takeForTransaction(txSignature, payer, true);
}
