import { AddressLookupTableAccount, MessageV0, VersionedTransaction } from "@solana/web3.js";
import { createTooLongError, encodeMessageV0, MAX_TRANSACTION_BYTES, type MessageParts } from "./message-v0";

/**
 * Composes an unsigned v0 transaction. All signatures are zero.
 * @throws {RangeError} when an instruction is invalid or the transaction exceeds 1,232 bytes
 */
export function composeTransaction(parts: MessageParts): { bytes: Uint8Array; message: Uint8Array } {
  const { bytes: message, signers } = encodeMessageV0(parts);
  const messageAt = 1 + 64 * signers;
  const bytes = new Uint8Array(messageAt + message.length);
  if (bytes.length > MAX_TRANSACTION_BYTES) throw createTooLongError();
  bytes[0] = signers;
  bytes.set(message, messageAt);
  return { bytes, message };
}

/** Why the relay does not accept these bytes as a transaction. */
export class TransactionFault extends Error {}

export interface SignedTransaction {
  bytes: Uint8Array;
  /** The bytes that were signed. */
  message: Uint8Array;
  signatures: Uint8Array[];
  /** Public keys of the required signers, in the order of the signatures. */
  signers: Uint8Array[];
  decoded: VersionedTransaction;
}

/** Decodes a canonical legacy or v0 transaction of at most 1,232 bytes. @throws {TransactionFault} with the reason */
export function decodeTransaction(bytes: Uint8Array): SignedTransaction {
  if (bytes[0] === 0x81)
    throw new TransactionFault("Version 1 transactions are not relayed; sign a legacy or v0 transaction.");
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new TransactionFault(
      `The transaction has ${bytes.length} bytes; the network takes at most ${MAX_TRANSACTION_BYTES}.`,
    );
  }
  const decoded = tryDecode(bytes);
  const { numRequiredSignatures } = decoded.message.header;
  const signers = decoded.message.staticAccountKeys.slice(0, numRequiredSignatures).map((key) => key.toBytes());
  // A header may require more signers than there are keys. Without this check, extra signatures would pass unverified.
  const complete = [decoded.signatures.length, signers.length].every((count) => count === numRequiredSignatures);
  if (numRequiredSignatures < 1 || !complete) {
    throw new TransactionFault("The transaction does not carry one signature for each required signer.");
  }
  return {
    bytes,
    message: bytes.subarray(1 + 64 * numRequiredSignatures),
    signatures: decoded.signatures,
    signers,
    decoded,
  };
}

function tryDecode(bytes: Uint8Array): VersionedTransaction {
  try {
    const decoded = VersionedTransaction.deserialize(bytes);
    const again = decoded.serialize();
    if (again.length === bytes.length && again.every((byte, i) => byte === bytes[i])) return decoded;
  } catch {
    // Every decoding error has the same answer, so continue below.
  }
  throw new TransactionFault("The bytes are not one canonically encoded Solana transaction.");
}

/** Returns the addresses of a transaction's lookup tables. Empty for legacy transactions. */
export function listLookupTables({ message }: VersionedTransaction): string[] {
  return message.addressTableLookups.map((lookup) => lookup.accountKey.toBase58());
}

/**
 * Returns all account keys in index order, lookup tables resolved.
 * @param tables raw account data of each table in the order of listLookupTables; null when a table does not exist
 * @returns null when a table or an index is missing; the runtime refuses such a transaction
 */
export function resolveAccountKeys({ message }: VersionedTransaction, tables: (Uint8Array | null)[]): string[] | null {
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  if (!(message instanceof MessageV0) || message.addressTableLookups.length === 0) return keys;
  const decoded = message.addressTableLookups.map((_, i) => decodeTableAddresses(tables[i] ?? null));
  const listAddresses = (kind: "writableIndexes" | "readonlyIndexes") =>
    message.addressTableLookups.flatMap((lookup, i) => lookup[kind].map((index) => decoded[i]?.[index] ?? null));
  const found = [...listAddresses("writableIndexes"), ...listAddresses("readonlyIndexes")];
  const isKnown = (address: string | null) => address !== null;
  if (decoded.includes(null) || !found.every(isKnown)) return null;
  return [...keys, ...found];
}

function decodeTableAddresses(data: Uint8Array | null): string[] | null {
  if (!data) return null;
  try {
    return AddressLookupTableAccount.deserialize(data).addresses.map((key) => key.toBase58());
  } catch {
    return null;
  }
}
