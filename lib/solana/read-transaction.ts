import { VersionedMessage } from "@solana/web3.js";
import { fromBase64, toBase64 } from "./bytes";
import { MAX_COMPUTE_UNITS, readUnitLimit, readUnitPrice } from "./compute-budget";
import { computeHighestBaseFee, computePriorityFee, countCostUnits, LOWEST_BASE_FEE_LAMPORTS } from "./fees";
import type { DecodedInstruction } from "./instructions";
import { decodeTransaction, TransactionFault } from "./transactions";

/** Facts about a transaction that its bytes alone prove. */
export interface TransactionContents {
  /** Addresses of the required signers, in the order of their signatures. */
  signers: string[];
  message: VersionedMessage;
  instructions: DecodedInstruction[];
  /** The compute units that the transaction asks for. */
  unitLimit: number;
  /** What the network charges for the transaction's priority, lamports. */
  priorityFeeLamports: bigint;
  /** The least that the network can charge for the transaction under any fee model, lamports, priority included. */
  lowestFeeLamports: bigint;
  /** Cost units that the transaction asks for, the compute units included. */
  costUnits: number;
  /** The most that the network can charge for the transaction under any fee model, lamports, priority included. */
  highestFeeLamports: bigint;
}

/** @throws {TransactionFault} unless the base64 is one canonically encoded legacy or v0 transaction */
export function readTransaction(base64: string): TransactionContents {
  const bytes = fromBase64(base64);
  if (!bytes) throw new TransactionFault("The transaction is not base64.");
  return readMessage(decodeTransaction(bytes).decoded.message);
}

function readMessage(message: VersionedMessage): TransactionContents {
  const signerCount = message.header.numRequiredSignatures;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const instructions = readInstructions(message, keys);
  const [unitLimit, unitPrice] = readUnitsAndPrice(instructions);
  const priorityFeeLamports = computePriorityFee(unitLimit, unitPrice);
  const costUnits = countCostUnits(message, unitLimit);
  return {
    signers: keys.slice(0, signerCount),
    message,
    instructions,
    unitLimit,
    priorityFeeLamports,
    costUnits,
    lowestFeeLamports: LOWEST_BASE_FEE_LAMPORTS + priorityFeeLamports,
    highestFeeLamports: computeHighestBaseFee(signerCount, costUnits) + priorityFeeLamports,
  };
}

/** Returns the most that the network can charge for a transaction composed here, lamports. */
export const computeHighestFee = (bytes: Uint8Array): bigint => readTransaction(toBase64(bytes)).highestFeeLamports;

/** Returns whether the network can charge this fee for a message composed here, lamports. */
export function isPlausibleFee(feeLamports: bigint, message: Uint8Array): boolean {
  const { lowestFeeLamports, highestFeeLamports } = readMessage(VersionedMessage.deserialize(message));
  return lowestFeeLamports <= feeLamports && feeLamports <= highestFeeLamports;
}

/**
 * @param keys all account keys in index order, or only those in the message itself
 * @throws {TransactionFault} when a program is not among the keys
 */
export function readInstructions(message: VersionedMessage, keys: readonly string[]): DecodedInstruction[] {
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => {
    const program = keys[programIdIndex];
    if (program === undefined) throw new TransactionFault("The message itself does not name one of its programs.");
    return { program, accounts: accountKeyIndexes.map((index) => keys[index] ?? null), data };
  });
}

/**
 * Returns the largest unit limit, or the maximum without one, and the sum of the unit prices in micro-lamports. The
 * runtime refuses duplicates; both numbers would be upper bounds.
 */
export function readUnitsAndPrice(instructions: DecodedInstruction[]): [units: number, unitPrice: bigint] {
  const limits = instructions.flatMap((instruction) => readUnitLimit(instruction) ?? []);
  const prices = instructions.map((instruction) => readUnitPrice(instruction) ?? 0n);
  const unitLimit = limits.length === 0 ? MAX_COMPUTE_UNITS : Math.max(...limits);
  return [unitLimit, prices.reduce((sum, price) => sum + price, 0n)];
}
