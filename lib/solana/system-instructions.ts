import type { VersionedTransaction } from "@solana/web3.js";
import { toBase64 } from "./bytes";
import { type InstructionLike, type ReadInstruction, u64Bytes, viewOf, writable, writableSigner } from "./instructions";
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

/** `Transfer`: tag, u64 LE lamports. @throws {RangeError} unless `lamports` is an unsigned 64-bit integer */
export function systemTransfer(from: string, to: string, lamports: bigint): InstructionLike {
  const data = new Uint8Array(12);
  data[0] = TRANSFER;
  data.set(u64Bytes(lamports), 4);
  return { programId: SYSTEM_PROGRAM, accounts: [writableSigner(from), writable(to)], data: toBase64(data) };
}

export interface SystemTransfer {
  from: string | null;
  to: string | null;
  lamports: bigint;
}

/** A plain `Transfer`, null when it is anything else. */
export function readSystemTransfer({ program, accounts, data }: ReadInstruction): SystemTransfer | null {
  if (program !== SYSTEM_PROGRAM || data.length !== 12 || accounts.length !== 2) return null;
  const view = viewOf(data);
  if (view.getUint32(0, true) !== TRANSFER) return null;
  return { from: accounts[0] ?? null, to: accounts[1] ?? null, lamports: view.getBigUint64(4, true) };
}

/** Whether a transaction lives on a nonce account instead of a blockhash: its first instruction is `AdvanceNonceAccount`. */
export function isDurableNonce({ message }: VersionedTransaction): boolean {
  const first = message.compiledInstructions[0];
  // Only the low byte: what the runtime would read as another tag is no nonce, and refusing it too costs nobody anything.
  return (
    first !== undefined &&
    message.staticAccountKeys[first.programIdIndex]?.toBase58() === SYSTEM_PROGRAM &&
    first.data[0] === ADVANCE_NONCE_ACCOUNT
  );
}

export interface SystemMovement {
  /** Who authorises it: the signer the lamports, or the seeded account they lie on, belong to. */
  from: string;
  to: string;
  lamports: bigint;
}

/**
 * Lamports that top-level System instructions move.
 * @param keys all account keys of the transaction in index order (resolveAccountKeys)
 */
export function systemMovements({ message }: VersionedTransaction, keys: string[]): SystemMovement[] {
  const movements: SystemMovement[] = [];
  for (const { programIdIndex, accountKeyIndexes, data } of message.compiledInstructions) {
    if (keys[programIdIndex] !== SYSTEM_PROGRAM) continue;
    const accounts = accountKeyIndexes.map((index) => keys[index]);
    const movement = readMovement(data, accounts);
    if (movement) movements.push(movement);
  }
  return movements;
}

export interface CreatedAccount {
  account: string;
  /** Bytes of data it was made with. */
  space: bigint;
}

/**
 * The account that one System instruction makes room in; null when there is none. Programs that fund an account first, as
 * Metaplex does, allocate it.
 */
export function readCreation(data: Uint8Array, accounts: readonly (string | null)[]): CreatedAccount | null {
  if (data.length < 12) return null;
  const view = viewOf(data);
  const tag = view.getUint32(0, true);
  const created = tag === CREATE_ACCOUNT || tag === CREATE_ACCOUNT_WITH_SEED;
  const account = accounts[created ? 1 : 0];
  if (!account || !(created || tag === ALLOCATE || tag === ALLOCATE_WITH_SEED)) return null;
  const isSeeded = tag === CREATE_ACCOUNT_WITH_SEED || tag === ALLOCATE_WITH_SEED;
  // The space follows the lamports that it is created with.
  const at = (isSeeded ? afterSeed(view) : 4) + (created ? 8 : 0);
  return at + 8 <= view.byteLength ? { account, space: view.getBigUint64(at, true) } : null;
}

/** What one System instruction moves, null when it moves nothing. */
export function readMovement(
  data: Uint8Array,
  accounts: readonly (string | null | undefined)[],
): SystemMovement | null {
  if (data.length < 12) return null;
  const view = viewOf(data);
  const [first, second, third, , fifth] = accounts;
  const tag = view.getUint32(0, true);
  if (!first || !second) return null;
  if (tag === TRANSFER || tag === CREATE_ACCOUNT)
    return { from: first, to: second, lamports: view.getBigUint64(4, true) };
  // [funding account, base (signer), recipient]
  if (tag === TRANSFER_WITH_SEED && third) return { from: second, to: third, lamports: view.getBigUint64(4, true) };
  // [nonce account, recipient, recent blockhashes, rent, authority (signer)]
  if (tag === WITHDRAW_NONCE_ACCOUNT && fifth) return { from: fifth, to: second, lamports: view.getBigUint64(4, true) };
  if (tag === CREATE_ACCOUNT_WITH_SEED) return readCreateWithSeed(view, first, second);
  return null;
}

/** Where the lamports stand: tag u32, base 32 bytes, seed as u64 length + bytes, lamports u64, space u64, … */
const afterSeed = (view: DataView) =>
  view.byteLength < 44 ? view.byteLength : 44 + Number(view.getBigUint64(36, true));

function readCreateWithSeed(view: DataView, from: string, to: string): SystemMovement | null {
  const at = afterSeed(view);
  return at + 8 <= view.byteLength ? { from, to, lamports: view.getBigUint64(at, true) } : null;
}
