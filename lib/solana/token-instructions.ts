import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import {
  buildInstruction,
  type DecodedInstruction,
  encodeU64,
  toDataView,
  toReadonly,
  toSigner,
  toWritable,
  toWritableSigner,
} from "./instructions";
import { memoize } from "./memoize";
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./programs";

/**
 * Writes and reads the token instructions that this service needs, without @solana/spl-token: that package carries an
 * unfixed advisory. Token-2022 uses the same tags and account orders, so every builder takes the token program and
 * defaults to the original one. A reader returns null for any other instruction, and for an instruction with additional
 * accounts for an extension. An account that it returns is null when only a lookup table holds it.
 * Sources of the tags and account orders: `TokenInstruction` in interface/src/instruction.rs of
 * github.com/solana-program/token, and `AssociatedTokenAccountInstruction` of
 * github.com/solana-program/associated-token-account.
 */

export interface TokenAmount {
  mint: string;
  /** Base units from 0 to 2^64 - 1. Builders throw a RangeError for any other amount. */
  amount: bigint;
  /** Decimals of the mint. The program refuses any other number. */
  decimals: number;
}

const TOKEN_TAGS = {
  initializeAccount: 1,
  transfer: 3,
  revoke: 5,
  setAuthority: 6,
  closeAccount: 9,
  transferChecked: 12,
  approveChecked: 13,
  mintToChecked: 14,
  initializeAccount2: 16,
  syncNative: 17,
  initializeAccount3: 18,
  transferFeeExtension: 26,
  batch: 255,
} as const;
/** `SetAuthority` of an account's owner, to a new owner that follows. */
const [ACCOUNT_OWNER, SOME] = [2, 1];
/** The second tag of `TransferCheckedWithFee`, in the transfer fee extension. */
const TRANSFER_WITH_FEE = 1;

const ASSOCIATED_TOKEN_TAGS = { create: 0, createIdempotent: 1 } as const;

export const isTokenProgram = (program: string) => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

/** Addresses by name. */
type Keys<Name extends string> = Record<Name, string>;

/** Encodes the data of a checked instruction: tag byte, u64 amount and u8 decimals. */
const encodeChecked = (tag: number, { amount, decimals }: TokenAmount) =>
  Uint8Array.of(tag, ...encodeU64(amount), decimals);

const MAX_DERIVATIONS = 10_000;
/** What each derived account was derived from. */
const derivations = new Map<string, { owner: string; mint: string }>();

/** Caches derivations: one takes up to a millisecond, and a build needs the same few addresses repeatedly. */
const deriveAddress = memoize(MAX_DERIVATIONS, (key) => {
  const texts = key.split(",") as [owner: string, program: string, mint: string];
  const seeds = texts.map((text) => new PublicKey(text).toBytes());
  const [address, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(ASSOCIATED_TOKEN_PROGRAM));
  if (derivations.size >= MAX_DERIVATIONS) derivations.clear();
  derivations.set(address.toBase58(), { owner: texts[0], mint: texts[2] });
  return { address: address.toBase58(), steps: 256 - bump };
});

/** Null unless this process has derived the address. Its owner may have given the account away. */
export const findDerivation = (address: string) => derivations.get(address) ?? null;

/** The program address for the seeds owner, token program and mint, base58. The owner may be off the curve. */
export const deriveAssociatedTokenAddress = (owner: string, mint: string, tokenProgram = TOKEN_PROGRAM): string =>
  deriveAddress(`${owner},${tokenProgram},${mint}`).address;

/** Returns how many bumps the program tries, from 255 down, until it finds this associated token account. */
export const countDerivationSteps = (owner: string, mint: string, tokenProgram: string): number =>
  deriveAddress(`${owner},${tokenProgram},${mint}`).steps;

/** Builds CreateIdempotent of the Associated Token program. `payer` signs and pays the rent of a missing account. */
export function buildCreateAssociatedTokenAccount(
  { payer, owner, mint }: Keys<"payer" | "owner" | "mint">,
  tokenProgram = TOKEN_PROGRAM,
) {
  const account = toWritable(deriveAssociatedTokenAddress(owner, mint, tokenProgram));
  const readAccounts = [owner, mint, SYSTEM_PROGRAM, tokenProgram].map(toReadonly);
  const accounts = [toWritableSigner(payer), account, ...readAccounts];
  return buildInstruction(ASSOCIATED_TOKEN_PROGRAM, accounts, Uint8Array.of(ASSOCIATED_TOKEN_TAGS.createIdempotent));
}

/** Builds InitializeAccount3: turns a new 165-byte account into `owner`'s token account for `mint`. Nobody signs. */
export function buildInitializeAccount(
  { account, mint, owner }: Keys<"account" | "mint" | "owner">,
  tokenProgram = TOKEN_PROGRAM,
) {
  const data = Uint8Array.of(TOKEN_TAGS.initializeAccount3, ...new PublicKey(owner).toBytes());
  return buildInstruction(tokenProgram, [toWritable(account), toReadonly(mint)], data);
}

/** @param extraKeys read-only accounts that the program ignores. Nodes find the transfer by them */
export function buildTransferChecked(
  token: Keys<"source" | "destination" | "authority"> & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
  extraKeys: readonly string[] = [],
) {
  const { source, mint, destination, authority } = token;
  const accounts = [toWritable(source), toReadonly(mint), toWritable(destination), toSigner(authority)];
  const data = encodeChecked(TOKEN_TAGS.transferChecked, token);
  return buildInstruction(tokenProgram, [...accounts, ...extraKeys.map(toReadonly)], data);
}

/** Builds ApproveChecked: lets the account's only delegate transfer up to the amount. The owner signs. */
export function buildApproveChecked(
  token: Keys<"account" | "delegate" | "owner"> & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
) {
  const { account, mint, delegate, owner } = token;
  const accounts = [toWritable(account), toReadonly(mint), toReadonly(delegate), toSigner(owner)];
  return buildInstruction(tokenProgram, accounts, encodeChecked(TOKEN_TAGS.approveChecked, token));
}

/** Builds Revoke: removes the account's delegate, whoever it is. The owner signs. */
export function buildRevoke({ account, owner }: Keys<"account" | "owner">, tokenProgram = TOKEN_PROGRAM) {
  return buildInstruction(tokenProgram, [toWritable(account), toSigner(owner)], Uint8Array.of(TOKEN_TAGS.revoke));
}

/** Builds MintToChecked: issues tokens into `destination`. The mint's authority signs. */
export function buildMintToChecked(
  token: Keys<"destination" | "authority"> & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
) {
  const accounts = [toWritable(token.mint), toWritable(token.destination), toSigner(token.authority)];
  return buildInstruction(tokenProgram, accounts, encodeChecked(TOKEN_TAGS.mintToChecked, token));
}

/** Builds CloseAccount for an empty account or wrapped SOL. Its lamports go to `destination`. The owner signs. */
export function buildCloseAccount(
  { account, destination, owner }: Keys<"account" | "destination" | "owner">,
  tokenProgram = TOKEN_PROGRAM,
) {
  const accounts = [toWritable(account), toWritable(destination), toSigner(owner)];
  return buildInstruction(tokenProgram, accounts, Uint8Array.of(TOKEN_TAGS.closeAccount));
}

/** Returns whether a token program reads exactly this instruction from the bytes. */
const isExact = (
  { program, accounts, data }: DecodedInstruction,
  tag: number,
  dataLength: number,
  accountCount: number,
) => isTokenProgram(program) && data[0] === tag && data.length === dataLength && accounts.length === accountCount;

export interface TokenTransfer extends TokenAmount {
  program: string;
  source: string | null;
  destination: string | null;
  authority: string | null;
}

/** Reads a `TransferChecked` with a single signer and a mint in the message itself. */
export function readTransferChecked(instruction: DecodedInstruction): TokenTransfer | null {
  if (!isExact(instruction, TOKEN_TAGS.transferChecked, 10, 4)) return null;
  const { program, accounts, data } = instruction;
  const [source = null, mint, destination = null, authority = null] = accounts;
  if (typeof mint !== "string") return null;
  const amount = toDataView(data).getBigUint64(1, true);
  return { program, source, mint, destination, authority, amount, decimals: data[9]! };
}

/** Returns the keys after the authority in its `TransferChecked`, which the program ignores. */
export function readTransferKeys({ program, accounts, data }: DecodedInstruction, authority: string): string[] {
  const isOwn = isTokenProgram(program) && data[0] === TOKEN_TAGS.transferChecked && accounts[3] === authority;
  return isOwn ? accounts.slice(4).flatMap((key) => key ?? []) : [];
}

/** An account that tokens left, and the owner or delegate that moved them. */
export interface TokenMovement {
  source: string;
  destination: string;
  authority: string;
  /** Base units. */
  amount: bigint;
}

/**
 * Lists the movements of a `Transfer`, `TransferChecked` or `TransferCheckedWithFee`, or those in a `Batch`. Accounts
 * after the authority do not matter. Source of the layout of a batch: p-token's processor/batch.rs.
 */
export function readTokenMovements(instruction: DecodedInstruction): TokenMovement[] {
  const { program, accounts, data } = instruction;
  if (!isTokenProgram(program)) return [];
  const [tag, subTag] = data;
  if (tag === TOKEN_TAGS.batch) return splitBatch(instruction).flatMap(readTokenMovements);
  const isChecked =
    tag === TOKEN_TAGS.transferChecked || (tag === TOKEN_TAGS.transferFeeExtension && subTag === TRANSFER_WITH_FEE);
  const [source, destination, authority] = isChecked ? [accounts[0], accounts[2], accounts[3]] : accounts.slice(0, 3);
  const amountOffset = tag === TOKEN_TAGS.transferFeeExtension ? 2 : 1;
  const isMovement = (isChecked || tag === TOKEN_TAGS.transfer) && data.length >= amountOffset + 8;
  if (!isMovement || !source || !destination || !authority) return [];
  return [{ source, destination, authority, amount: toDataView(data).getBigUint64(amountOffset, true) }];
}

/** Returns the instructions in a `Batch`, or any other instruction itself. */
export const splitBatch = (instruction: DecodedInstruction): DecodedInstruction[] => {
  const { program, accounts, data } = instruction;
  const isBatch = isTokenProgram(program) && data[0] === TOKEN_TAGS.batch;
  return isBatch ? readBatch(accounts, data).map((part) => ({ program, ...part })) : [instruction];
};

/** Reads who owns a token account after an instruction that opens it, or sets its owner and then names no mint. */
export function readNewOwner(instruction: DecodedInstruction) {
  const { program, accounts, data } = instruction;
  const opened = readOpenAccount(instruction);
  if (opened) return opened;
  const [account = null, mint = null, thirdKey = null] = accounts;
  if (!isTokenProgram(program)) return null;
  if (data[0] === TOKEN_TAGS.initializeAccount) return { account, mint, owner: thirdKey };
  const isOpening = data[0] === TOKEN_TAGS.initializeAccount2 || data[0] === TOKEN_TAGS.initializeAccount3;
  if (isOpening && data.length >= 33) return { account, mint, owner: bs58.encode(data.subarray(1, 33)) };
  const isGift = data[0] === TOKEN_TAGS.setAuthority && data[1] === ACCOUNT_OWNER && data[2] === SOME;
  return isGift && data.length >= 35 ? { account, mint: null, owner: bs58.encode(data.subarray(3, 35)) } : null;
}

/** Lists the instructions of a batch. Each has a byte with its number of accounts, one with its length, and its data. */
function readBatch(accounts: DecodedInstruction["accounts"], data: Uint8Array) {
  const parts: Omit<DecodedInstruction, "program">[] = [];
  for (let offset = 1, firstAccount = 0; offset + 2 <= data.length; ) {
    const [accountCount, length] = [data[offset]!, data[offset + 1]!];
    const start = offset + 2;
    parts.push({
      accounts: accounts.slice(firstAccount, firstAccount + accountCount),
      data: data.subarray(start, start + length),
    });
    offset = start + length;
    firstAccount += accountCount;
  }
  return parts;
}

/** Reads an `ApproveChecked` with a single signer and a mint in the message itself. */
export function readApproveChecked(instruction: DecodedInstruction) {
  if (!isExact(instruction, TOKEN_TAGS.approveChecked, 10, 4)) return null;
  const { program, accounts, data } = instruction;
  const [account = null, mint, delegate = null, owner = null] = accounts;
  if (typeof mint !== "string") return null;
  const amount = toDataView(data).getBigUint64(1, true);
  return { program, account, mint, delegate, owner, amount, decimals: data[9]! };
}

/** Reads a `Revoke` with a single signer. */
export function readRevoke(instruction: DecodedInstruction) {
  if (!isExact(instruction, TOKEN_TAGS.revoke, 1, 2)) return null;
  const [account = null, owner = null] = instruction.accounts;
  return { program: instruction.program, account, owner };
}

/** Reads a `CloseAccount` with a single signer. */
export function readCloseAccount(instruction: DecodedInstruction) {
  if (!isExact(instruction, TOKEN_TAGS.closeAccount, 1, 3)) return null;
  const [account = null, destination = null, owner = null] = instruction.accounts;
  return { account, destination, owner };
}

/** Reads a `SyncNative`, which turns lamports sent to the account into wrapped SOL. */
export function readSyncNative(instruction: DecodedInstruction): { account: string | null } | null {
  return isExact(instruction, TOKEN_TAGS.syncNative, 1, 1) ? { account: instruction.accounts[0] ?? null } : null;
}

/** Reads `Create` or `CreateIdempotent` of the Associated Token program. Empty data means `Create`. */
export function readOpenAccount({ program, accounts, data }: DecodedInstruction) {
  const tag = data.length === 0 ? ASSOCIATED_TOKEN_TAGS.create : data[0];
  const isOpening = tag === ASSOCIATED_TOKEN_TAGS.create || tag === ASSOCIATED_TOKEN_TAGS.createIdempotent;
  if (program !== ASSOCIATED_TOKEN_PROGRAM || !isOpening || data.length > 1 || accounts.length !== 6) return null;
  const [payer = null, account = null, owner = null, mint = null, , tokenProgram = null] = accounts;
  return { payer, account, owner, mint, tokenProgram };
}
