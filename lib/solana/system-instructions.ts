import type { VersionedTransaction } from "@solana/web3.js";
import {
  buildInstruction,
  type DecodedInstruction,
  encodeU64,
  type InstructionLike,
  toDataView,
  toReadonly,
  toWritable,
  toWritableSigner,
} from "./instructions";
import { SYSTEM_PROGRAM } from "./programs";

/** Tags (u32 LE) of the System program's instructions. Source: solana-system-interface `SystemInstruction`. */
const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const CREATE_ACCOUNT_WITH_SEED = 3;
const ADVANCE_NONCE_ACCOUNT = 4;
const WITHDRAW_NONCE_ACCOUNT = 5;
const ALLOCATE = 8;
const ALLOCATE_WITH_SEED = 9;
const TRANSFER_WITH_SEED = 11;

/**
 * @param reference a Solana Pay reference: a read-only account that the program ignores. Nodes find the transfer by it
 * @throws {RangeError} unless `lamports` is an unsigned 64-bit integer
 */
export function buildSystemTransfer(from: string, to: string, lamports: bigint, reference?: string): InstructionLike {
  const data = new Uint8Array(12);
  data[0] = TRANSFER;
  data.set(encodeU64(lamports), 4);
  const referenceAccounts = reference === undefined ? [] : [toReadonly(reference)];
  const accounts = [toWritableSigner(from), toWritable(to), ...referenceAccounts];
  return buildInstruction(SYSTEM_PROGRAM, accounts, data);
}

/** Reads a plain `Transfer`. Returns null for any other instruction, and for a transfer with a reference. */
export function readSystemTransfer(instruction: DecodedInstruction) {
  const { accounts, data } = instruction;
  if (!isSystemTransfer(instruction) || accounts.length !== 2) return null;
  return { from: accounts[0] ?? null, to: accounts[1] ?? null, lamports: toDataView(data).getBigUint64(4, true) };
}

/** Returns whether an instruction is a `Transfer`. Accounts after the first two, such as a reference, do not matter. */
export const isSystemTransfer = ({ program, accounts, data }: DecodedInstruction) =>
  program === SYSTEM_PROGRAM &&
  accounts.length >= 2 &&
  data.length === 12 &&
  toDataView(data).getUint32(0, true) === TRANSFER;

/** Returns whether a transaction uses a durable nonce: its first instruction is `AdvanceNonceAccount`. */
export function isDurableNonce({ message }: VersionedTransaction): boolean {
  const firstInstruction = message.compiledInstructions[0];
  // Only the low byte of the tag: refusing other tags with this byte is harmless.
  return (
    firstInstruction !== undefined &&
    message.staticAccountKeys[firstInstruction.programIdIndex]?.toBase58() === SYSTEM_PROGRAM &&
    firstInstruction.data[0] === ADVANCE_NONCE_ACCOUNT
  );
}

export interface SystemMovement {
  /** The account that authorises the movement. A seeded or nonce account that holds the lamports is another account. */
  from: string;
  to: string;
  lamports: bigint;
}

/** Of the top-level System instructions. @param keys all account keys in index order (resolveAccountKeys) */
export function readSystemMovements({ message }: VersionedTransaction, keys: string[]): SystemMovement[] {
  return message.compiledInstructions
    .filter(({ programIdIndex }) => keys[programIdIndex] === SYSTEM_PROGRAM)
    .flatMap(({ accountKeyIndexes, data }) => {
      const accounts = accountKeyIndexes.map((index) => keys[index] ?? null);
      return readMovement(data, accounts) ?? [];
    });
}

export interface CreatedAccount {
  account: string;
  /** Data size in bytes at creation. */
  space: bigint;
}

/** Covers `Allocate` too: programs such as Metaplex fund an account first and allocate it separately. */
export function readCreation(data: Uint8Array, accounts: readonly (string | null)[]): CreatedAccount | null {
  if (data.length < 12) return null;
  const view = toDataView(data);
  const tag = view.getUint32(0, true);
  const isCreation = tag === CREATE_ACCOUNT || tag === CREATE_ACCOUNT_WITH_SEED;
  const account = accounts[isCreation ? 1 : 0];
  if (!account || !(isCreation || tag === ALLOCATE || tag === ALLOCATE_WITH_SEED)) return null;
  const isSeeded = tag === CREATE_ACCOUNT_WITH_SEED || tag === ALLOCATE_WITH_SEED;
  // CreateAccount puts the lamports before the space.
  const spaceOffset = (isSeeded ? findSeedEnd(view) : 4) + (isCreation ? 8 : 0);
  return spaceOffset + 8 <= view.byteLength ? { account, space: view.getBigUint64(spaceOffset, true) } : null;
}

/** Returns the movement of one System instruction. Returns null when it moves no lamports or an account is unknown. */
export function readMovement(data: Uint8Array, accounts: readonly (string | null)[]): SystemMovement | null {
  if (data.length < 12) return null;
  const view = toDataView(data);
  const [account0, account1, account2, , account4] = accounts;
  const tag = view.getUint32(0, true);
  if (!account0 || !account1) return null;
  const lamports = view.getBigUint64(4, true);
  if (tag === TRANSFER || tag === CREATE_ACCOUNT) return { from: account0, to: account1, lamports };
  // [funding account, base (signer), recipient]
  if (tag === TRANSFER_WITH_SEED && account2) return { from: account1, to: account2, lamports };
  // [nonce account, recipient, recent blockhashes, rent, authority (signer)]
  if (tag === WITHDRAW_NONCE_ACCOUNT && account4) return { from: account4, to: account1, lamports };
  if (tag !== CREATE_ACCOUNT_WITH_SEED) return null;
  const seededOffset = findSeedEnd(view);
  if (seededOffset + 8 > view.byteLength) return null;
  return { from: account0, to: account1, lamports: view.getBigUint64(seededOffset, true) };
}

/** Returns the offset after the seed. Layout: tag u32, base 32 bytes, seed (u64 length and bytes), u64 amounts. */
const findSeedEnd = (view: DataView) =>
  view.byteLength < 44 ? view.byteLength : 44 + Number(view.getBigUint64(36, true));
