import { fromBase64, toBase64 } from "./bytes";
import { COMPUTE_BUDGET_PROGRAM } from "./programs";

/**
 * The highest price for a compute unit that a transaction built here offers. Aggregators have returned absurd values;
 * with this cap the priority fee stays at or under 100,000 lamports for a transaction of 400,000 units.
 */
export const MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 250_000n;

/** The runtime refuses to spend more than this in one transaction (MAX_COMPUTE_UNIT_LIMIT of Agave). */
export const MAX_COMPUTE_UNITS = 1_400_000;

/** First byte of the compute-budget program's instructions (ComputeBudgetInstruction of the Solana SDK). */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

export interface ComputeBudgetInstruction {
  programId: string;
  accounts: [];
  /** Base64. */
  data: string;
}

/** What a transaction built here spends on priority at most, whatever its unit limit. */
export const MAX_PRIORITY_FEE_LAMPORTS = 100_000n;

/** The highest price, micro-lamports per unit, that keeps `units` within MAX_PRIORITY_FEE_LAMPORTS and under the overall cap. */
export function maxPriceFor(units: number): bigint {
  const affordable = (MAX_PRIORITY_FEE_LAMPORTS * 1_000_000n) / BigInt(units);
  return affordable < MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS ? affordable : MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS;
}

/** Price in micro-lamports of a compute-unit price instruction's data, null when it is anything else. */
export function computeUnitPrice(dataBase64: string): bigint | null {
  const bytes = fromBase64(dataBase64);
  return bytes?.length === 9 && bytes[0] === SET_UNIT_PRICE ? new DataView(bytes.buffer).getBigUint64(1, true) : null;
}

/**
 * The compute-unit price instruction `dataBase64` (tag byte 3, price in micro-lamports as u64 LE) with its price cut to
 * `maxPrice`, as base64. Null when it is anything else.
 */
export function capComputeUnitPrice(
  dataBase64: string,
  maxPrice = MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS,
): string | null {
  const bytes = fromBase64(dataBase64);
  if (bytes?.length !== 9 || bytes[0] !== SET_UNIT_PRICE) return null;
  const view = new DataView(bytes.buffer);
  const price = view.getBigUint64(1, true);
  if (price > maxPrice) view.setBigUint64(1, maxPrice, true);
  return toBase64(bytes);
}

/**
 * The instruction that limits a transaction to `units` compute units.
 * @throws {RangeError} unless `units` is a whole number from 1 to MAX_COMPUTE_UNITS
 */
export function setComputeUnitLimit(units: number): ComputeBudgetInstruction {
  if (!Number.isInteger(units) || units < 1 || units > MAX_COMPUTE_UNITS) {
    throw new RangeError(`compute unit limit out of range: ${units}`);
  }
  const bytes = new Uint8Array(5);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, SET_UNIT_LIMIT);
  view.setUint32(1, units, true);
  return { programId: COMPUTE_BUDGET_PROGRAM, accounts: [], data: toBase64(bytes) };
}
