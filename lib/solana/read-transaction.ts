import type { VersionedMessage } from "@solana/web3.js";
import { fromBase64 } from "./bytes";
import { MAX_COMPUTE_UNITS, readUnitLimit, readUnitPrice } from "./compute-budget";
import { networkFee } from "./fees";
import type { ReadInstruction } from "./instructions";
import { decodeTransaction, TransactionFault } from "./transactions";

/** What can be told about a transaction from its bytes alone. */
export interface ReadTransaction {
  signers: string[];
  /** The accounts that stand in the message itself, in index order. */
  keys: string[];
  instructions: ReadInstruction[];
  /** The most the network can charge for it. */
  networkFeeLamports: bigint;
}

/** @throws {TransactionFault} when `base64` is not one canonically encoded legacy or v0 transaction */
export function readTransaction(base64: string): ReadTransaction {
  const bytes = fromBase64(base64);
  if (!bytes) throw new TransactionFault("The transaction is not base64.");
  const { decoded, signers } = decodeTransaction(bytes);
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  const instructions = instructionsOf(decoded.message, keys);
  return {
    signers: keys.slice(0, signers.length),
    keys,
    instructions,
    networkFeeLamports: networkFee(signers.length, ...unitsAndPrice(instructions)),
  };
}

/**
 * The instructions of a message.
 * @param keys its account keys in index order, or only the ones that stand in the message
 * @throws {TransactionFault} when a program is not among them
 */
export function instructionsOf(message: VersionedMessage, keys: readonly string[]): ReadInstruction[] {
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => {
    const program = keys[programIdIndex];
    if (program === undefined) throw new TransactionFault("A program does not stand in the message.");
    return { program, accounts: accountKeyIndexes.map((index) => keys[index] ?? null), data };
  });
}

/** The runtime refuses a second limit or price; counting them all keeps the bound even if it did not. */
function unitsAndPrice(instructions: ReadInstruction[]): [units: number, price: bigint] {
  const limits = instructions.flatMap((one) => readUnitLimit(one) ?? []);
  const prices = instructions.map((one) => readUnitPrice(one) ?? 0n);
  return [
    limits.length === 0 ? MAX_COMPUTE_UNITS : Math.max(...limits),
    prices.reduce((sum, price) => sum + price, 0n),
  ];
}
