import type { VersionedMessage } from "@solana/web3.js";

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/** Estimates a small transaction, for a plan of a year and what is not built yet. Reviews show a node's figure. */
export const ESTIMATED_FEE_LAMPORTS = 5_000n;

/** Returns the price of all reserved units in lamports. @param unitPrice micro-lamports per compute unit */
export const computePriorityFee = (unitLimit: number, unitPrice: bigint): bigint =>
  (unitPrice * BigInt(unitLimit) + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;

/** Returns the highest micro-lamports per unit at which all units cost at most `maxFeeLamports`. */
export const computeAffordablePrice = (unitLimit: number, maxFeeLamports: bigint): bigint =>
  (maxFeeLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(unitLimit);

/** The most that any fee model takes for a signature. Source: Solana docs, "Transaction fees". */
const HIGHEST_SIGNATURE_FEE_LAMPORTS = 5_000n;

/** The least that any fee model takes for a transaction, lamports: the inclusion fee of SIMD-0553. */
export const LOWEST_BASE_FEE_LAMPORTS = 2_500n;

/*
 * Cost units that a transaction asks for besides its compute units. SIMD-0553 charges at most half a lamport for each.
 * Source: block_cost_limits.rs in Agave's cost model.
 */
const SIGNATURE_COST = 720;
const WRITE_LOCK_COST = 300;
const DATA_BYTES_PER_COST_UNIT = 4;
/** Cost units of 64 MiB of account data, 8 for each 32 KiB. A transaction that sets no limit asks for this much. */
const LOADED_DATA_COST = 16_384;

export function countCostUnits(message: VersionedMessage, unitLimit: number): number {
  const writableCount =
    message.staticAccountKeys.filter((_, i) => message.isAccountWritable(i)).length +
    message.addressTableLookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, 0);
  const dataBytes = message.compiledInstructions.reduce((sum, { data }) => sum + data.length, 0);
  return (
    SIGNATURE_COST * message.header.numRequiredSignatures +
    WRITE_LOCK_COST * writableCount +
    Math.ceil(dataBytes / DATA_BYTES_PER_COST_UNIT) +
    unitLimit +
    LOADED_DATA_COST
  );
}

/** Returns the most lamports that a message's signatures and cost units take under any fee model, without priority. */
export const computeHighestBaseFee = (signatureCount: number, costUnits: number): bigint =>
  HIGHEST_SIGNATURE_FEE_LAMPORTS * BigInt(signatureCount) + BigInt(Math.ceil(costUnits / 2));
