import {
  type MessageAddressTableLookup,
  type MessageV1,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import { refuseParams } from "./types";

/*
 * Guards LiteSVM, which aborts the process on bytes that it cannot decode. JavaScript cannot catch an abort. This module
 * therefore decodes all bytes first. It accepts only bytes that web3.js encodes in the same way, and names the programs
 * that the sandbox does not run.
 */

/** Size limit of legacy and v0 transactions. Source: PACKET_DATA_SIZE, solana-packet. */
const MAX_TRANSACTION_BYTES = 1232;
/** Limits of version 1. Source: SIMD-0385, "Transaction Constraints". */
export const MAX_V1_TRANSACTION_BYTES = 4096;
const V1_PREFIX = 0x81;
const V1_LIMITS = { signatures: 12, keys: 64, instructions: 64 };
const V1_HEAP_BYTES = { min: 32 * 1024, max: 256 * 1024, step: 1024 };
export const LOOKUP_TABLE_PROGRAM = "AddressLookupTab1e1111111111111111111111111";
export const MEMO_PROGRAMS: readonly string[] = [
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
];

const RUNNABLE_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  ...MEMO_PROGRAMS,
]);

export interface DecodedTransaction {
  wireBytes: Uint8Array;
  /** The fee payer's signature, base58. */
  signature: string;
  transaction: VersionedTransaction;
  staticKeys: string[];
  /** Number of account keys, including those from lookup tables. */
  keyCount: number;
  /** The first program that the sandbox does not run. Null when it runs all of them. */
  unsupportedProgram: string | null;
}

/** Decodes a base58 address to its 32 bytes. @throws RpcError -32602 when the address is malformed */
export function decodeAddress(address: string): Uint8Array {
  // 32 bytes are 32 to 44 base58 digits. Decoding is quadratic, so check the length first.
  if (typeof address === "string" && address.length >= 32 && address.length <= 44) {
    const bytes = bs58.decodeUnsafe(address);
    if (bytes?.length === 32) return bytes;
  }
  return refuseParams("Invalid param: Invalid: not a 32-byte base58 address");
}

/** Returns whether the text is a signature: 64 bytes in base58. */
export function isSignature(text: unknown): text is string {
  // 64 bytes are 64 to 88 base58 digits.
  return typeof text === "string" && text.length >= 64 && text.length <= 88 && bs58.decodeUnsafe(text)?.length === 64;
}

/** A cluster's message for bytes that are not a transaction. */
const DESERIALIZE_MESSAGE = "failed to deserialize solana_transaction::versioned::VersionedTransaction";

/** Runs a decoder. @throws RpcError -32602 when the decoder throws */
function decodeOrThrow<Value>(decode: () => Value): Value {
  try {
    return decode();
  } catch {
    return refuseParams(DESERIALIZE_MESSAGE);
  }
}

const countIndexes = (lookup: MessageAddressTableLookup) =>
  lookup.writableIndexes.length + lookup.readonlyIndexes.length;

function countKeys({ addressTableLookups, staticAccountKeys }: VersionedMessage): number {
  return addressTableLookups.reduce((sum, lookup) => sum + countIndexes(lookup), staticAccountKeys.length);
}

/** Returns whether a message passes the checks of a cluster's sanitizer that web3.js omits. An index is one byte. */
function passesSanitizer(message: VersionedMessage): boolean {
  const { header, addressTableLookups } = message;
  const staticKeyCount = message.staticAccountKeys.length;
  const keyCount = countKeys(message);
  return (
    header.numRequiredSignatures > header.numReadonlySignedAccounts &&
    header.numRequiredSignatures + header.numReadonlyUnsignedAccounts <= staticKeyCount &&
    keyCount <= 256 &&
    addressTableLookups.every((lookup) => countIndexes(lookup) > 0) &&
    message.compiledInstructions.every(
      (instruction) =>
        instruction.programIdIndex > 0 &&
        instruction.programIdIndex < staticKeyCount &&
        instruction.accountKeyIndexes.every((index) => index < keyCount),
    )
  );
}

/** Returns whether a message of version 1 keeps the limits of SIMD-0385. */
function passesV1Sanitizer({ header, staticAccountKeys, compiledInstructions, transactionConfig }: MessageV1): boolean {
  const { heapSize } = transactionConfig;
  return (
    header.numRequiredSignatures <= V1_LIMITS.signatures &&
    staticAccountKeys.length <= V1_LIMITS.keys &&
    new Set(staticAccountKeys.map((key) => key.toBase58())).size === staticAccountKeys.length &&
    compiledInstructions.length <= V1_LIMITS.instructions &&
    (heapSize === null ||
      (heapSize >= V1_HEAP_BYTES.min && heapSize <= V1_HEAP_BYTES.max && heapSize % V1_HEAP_BYTES.step === 0))
  );
}

/**
 * Decodes wire bytes. Accepts only bytes that serialize back to themselves.
 * @throws RpcError -32602 otherwise, including for oversized transactions
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  const isV1 = bytes[0] === V1_PREFIX;
  const maxBytes = isV1 ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES;
  if (bytes.length > maxBytes) refuseParams(`transaction too large: ${bytes.length} bytes (max: ${maxBytes} bytes)`);
  const transaction = decodeOrThrow(() => VersionedTransaction.deserialize(bytes));
  const { message } = transaction;
  if (!passesSanitizer(message) || (message.version === 1 && !passesV1Sanitizer(message)))
    refuseParams("invalid transaction: Transaction failed to sanitize accounts offsets correctly");
  // web3.js reads version 1 without writing it. That format has no second encoding of the same transaction.
  const wireBytes = isV1 ? bytes : decodeOrThrow(() => transaction.serialize());
  if (Buffer.compare(wireBytes, bytes) !== 0) refuseParams(`${DESERIALIZE_MESSAGE}: not in canonical form`);
  const staticKeys = message.staticAccountKeys.map((key) => key.toBase58());
  const programs = message.compiledInstructions.map((instruction) => staticKeys[instruction.programIdIndex]!);
  return {
    wireBytes,
    signature: bs58.encode(transaction.signatures[0]!),
    transaction,
    staticKeys,
    keyCount: countKeys(message),
    unsupportedProgram: programs.find((program) => !RUNNABLE_PROGRAMS.has(program)) ?? null,
  };
}

/** Returns whether an address is a program that the sandbox runs. */
export const isProgram = (address: string): boolean => RUNNABLE_PROGRAMS.has(address);

/** Returns whether an address is a program or a sysvar, which the chain neither sets nor saves. */
export function isRuntimeAddress(address: string): boolean {
  return isProgram(address) || address.startsWith("Sysvar");
}
