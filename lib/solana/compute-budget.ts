import { fromBase64 } from "./bytes";
import { computeAffordablePrice } from "./fees";
import { buildInstruction, type DecodedInstruction, encodeU64, type InstructionLike, toDataView } from "./instructions";
import { COMPUTE_BUDGET_PROGRAM } from "./programs";

/** Aggregators have returned absurd prices. With this cap, 400,000 units cost at most 100,000 lamports. */
export const MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 250_000n;

/** The runtime's compute-unit limit per transaction. Source: MAX_COMPUTE_UNIT_LIMIT, Agave. */
export const MAX_COMPUTE_UNITS = 1_400_000;

/** First bytes of the compute-budget program's instructions. Source: ComputeBudgetInstruction, Solana SDK. */
const SET_UNIT_LIMIT_TAG = 2;
const SET_UNIT_PRICE_TAG = 3;

/** Largest priority fee of a transaction built here, whatever its unit limit and the settings. Clients refuse more. */
export const MAX_PRIORITY_FEE_LAMPORTS = 100_000n;

/** Returns the highest micro-lamports per unit, up to the price cap, at which all units cost at most `maxFeeLamports`. */
export function computeMaxUnitPrice(unitLimit: number, maxFeeLamports: bigint): bigint {
  const affordablePrice = computeAffordablePrice(unitLimit, maxFeeLamports);
  return affordablePrice < MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS
    ? affordablePrice
    : MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS;
}

/** In micro-lamports. Null for any other instruction. Like the runtime, both readers ignore further bytes. */
export function readUnitPrice({ program, data }: Pick<DecodedInstruction, "program" | "data">): bigint | null {
  const isPriceInstruction = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_PRICE_TAG && data.length >= 9;
  return isPriceInstruction ? toDataView(data).getBigUint64(1, true) : null;
}

/** Reads the units of a limit instruction. Returns null for any other instruction. */
export function readUnitLimit({ program, data }: Pick<DecodedInstruction, "program" | "data">): number | null {
  const isLimitInstruction = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_LIMIT_TAG && data.length >= 5;
  return isLimitInstruction ? toDataView(data).getUint32(1, true) : null;
}

/**
 * Caps a price at MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS. Returns base64, or null for the data of any other instruction.
 */
export function capComputeUnitPrice(dataBase64: string): string | null {
  const data = fromBase64(dataBase64);
  const price = data && readUnitPrice({ program: COMPUTE_BUDGET_PROGRAM, data });
  if (price === null) return null;
  if (price <= MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS) return dataBase64;
  return buildSetComputeUnitPrice(MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS).data;
}

/** Builds the instruction that sets the price of a compute unit. @throws {RangeError} unless the price fits in a u64 */
export function buildSetComputeUnitPrice(microLamports: bigint): InstructionLike {
  return buildInstruction(COMPUTE_BUDGET_PROGRAM, [], Uint8Array.of(SET_UNIT_PRICE_TAG, ...encodeU64(microLamports)));
}

/** @throws {RangeError} unless `unitLimit` is a whole number from 1 to MAX_COMPUTE_UNITS */
export function buildSetComputeUnitLimit(unitLimit: number): InstructionLike {
  if (!Number.isInteger(unitLimit) || unitLimit < 1 || unitLimit > MAX_COMPUTE_UNITS) {
    throw new RangeError(`compute unit limit out of range: ${unitLimit}`);
  }
  const data = Uint8Array.of(SET_UNIT_LIMIT_TAG, 0, 0, 0, 0);
  toDataView(data).setUint32(1, unitLimit, true);
  return buildInstruction(COMPUTE_BUDGET_PROGRAM, [], data);
}
