import { AddressLookupTableAccount, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { createTooLongError, encodeMessageV0, MAX_TRANSACTION_BYTES, type MessageParts } from "./message-v0";

/**
 * Composes an unsigned v0 transaction, with zero signatures, and its message that wallets sign.
 * @throws {RangeError} when an address or an instruction is invalid, or the transaction exceeds 1,232 bytes
 */
export function composeTransaction(parts: MessageParts): { bytes: Uint8Array; message: Uint8Array } {
  const { bytes: message, signerCount } = encodeMessageV0(parts);
  const messageOffset = 1 + 64 * signerCount;
  const bytes = new Uint8Array(messageOffset + message.length);
  if (bytes.length > MAX_TRANSACTION_BYTES) throw createTooLongError();
  bytes[0] = signerCount;
  bytes.set(message, messageOffset);
  return { bytes, message };
}

/** Thrown for bytes that are not accepted as a transaction. The message is a sentence for the caller. */
export class TransactionFault extends Error {}

export interface SignedTransaction {
  bytes: Uint8Array;
  message: Uint8Array;
  signatures: Uint8Array[];
  /** Public keys of the required signers, in the order of the signatures. */
  signers: Uint8Array[];
  decoded: VersionedTransaction;
}

/** Returns true for a transaction of version 1, whose message comes before its signatures. Source: SIMD-0385. */
export const isVersion1 = (bytes: Uint8Array): boolean => bytes[0] === 0x81;

/** Decodes a canonical legacy or v0 transaction of at most 1,232 bytes. @throws {TransactionFault} with the reason */
export function decodeTransaction(bytes: Uint8Array): SignedTransaction {
  if (isVersion1(bytes))
    throw new TransactionFault("Version 1 transactions are not relayed; sign a legacy or v0 transaction.");
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new TransactionFault(
      `The transaction has ${bytes.length} bytes; the network takes at most ${MAX_TRANSACTION_BYTES}.`,
    );
  }
  const decoded = decodeCanonically(bytes);
  const { numRequiredSignatures } = decoded.message.header;
  const signers = decoded.message.staticAccountKeys.slice(0, numRequiredSignatures).map((key) => key.toBytes());
  // A header may require more signers than there are keys. Without this check, extra signatures would pass unverified.
  const isComplete = [decoded.signatures.length, signers.length].every((count) => count === numRequiredSignatures);
  if (numRequiredSignatures < 1 || !isComplete) {
    throw new TransactionFault("The transaction does not carry one signature for each required signer.");
  }
  const message = bytes.subarray(1 + 64 * numRequiredSignatures);
  return { bytes, message, signatures: decoded.signatures, signers, decoded };
}

function decodeCanonically(bytes: Uint8Array): VersionedTransaction {
  try {
    const decoded = VersionedTransaction.deserialize(bytes);
    const reencoded = decoded.serialize();
    if (reencoded.length === bytes.length && reencoded.every((byte, i) => byte === bytes[i])) return decoded;
  } catch {
    // Every decoding error has the same answer, so continue below.
  }
  throw new TransactionFault("The bytes are not one canonically encoded Solana transaction.");
}

export const readTxSignature = ({ signatures }: SignedTransaction) => bs58.encode(signatures[0]!);

/** Returns the addresses of a transaction's lookup tables. A legacy transaction has none. */
export function listLookupTables({ message }: VersionedTransaction): string[] {
  return message.addressTableLookups.map((lookup) => lookup.accountKey.toBase58());
}

/**
 * In index order, including those in lookup tables.
 * @param tables raw account data in the order of listLookupTables; null when a table does not exist
 * @returns null when a table or an index is missing: the runtime refuses such a transaction
 */
export function resolveAccountKeys({ message }: VersionedTransaction, tables: (Uint8Array | null)[]): string[] | null {
  try {
    const addressLookupTableAccounts = message.addressTableLookups.map(({ accountKey: key }, i) => {
      const state = AddressLookupTableAccount.deserialize(tables[i]!);
      return new AddressLookupTableAccount({ key, state });
    });
    const keys = message.getAccountKeys({ addressLookupTableAccounts });
    return keys.keySegments().flatMap((segment) => segment.map((key) => key.toBase58()));
  } catch {
    return null;
  }
}
