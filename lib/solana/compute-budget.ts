import { fromBase64, toBase64 } from "./bytes";
import { MICRO_LAMPORTS_PER_LAMPORT } from "./fees";
import { type ReadInstruction, u64Bytes, viewOf } from "./instructions";
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

/** What a transaction built here spends on priority at most, whatever its unit limit and whatever the settings say: clients refuse more. */
export const MAX_PRIORITY_FEE_LAMPORTS = 100_000n;

/** The highest price, micro-lamports per unit, that keeps `units` within `maxLamports` and under the overall cap. */
export function maxPriceFor(units: number, maxLamports: bigint): bigint {
  const affordable = (maxLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(units);
  return affordable < MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS ? affordable : MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS;
}

/** Micro-lamports per unit that a price instruction offers, null when it is anything else. */
export function readUnitPrice({ program, data }: Pick<ReadInstruction, "program" | "data">): bigint | null {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_PRICE && data.length === 9;
  return matches ? viewOf(data).getBigUint64(1, true) : null;
}

/** The units a limit instruction asks for, null when it is anything else. */
export function readUnitLimit({ program, data }: Pick<ReadInstruction, "program" | "data">): number | null {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_LIMIT && data.length === 5;
  return matches ? viewOf(data).getUint32(1, true) : null;
}

/**
 * The compute-unit price instruction `dataBase64` (tag byte 3, price in micro-lamports as u64 LE) with its price cut to
 * `maxPrice`, as base64. Null when it is anything else.
 */
export function capComputeUnitPrice(
  dataBase64: string,
  maxPrice = MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS,
): string | null {
  const data = fromBase64(dataBase64);
  const price = data && readUnitPrice({ program: COMPUTE_BUDGET_PROGRAM, data });
  return price === null ? null : setComputeUnitPrice(price > maxPrice ? maxPrice : price).data;
}

/** The instruction that offers `microLamports` for a compute unit. @throws {RangeError} unless it is an unsigned 64-bit integer */
export function setComputeUnitPrice(microLamports: bigint): ComputeBudgetInstruction {
  const data = toBase64(Uint8Array.of(SET_UNIT_PRICE, ...u64Bytes(microLamports)));
  return { programId: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
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
