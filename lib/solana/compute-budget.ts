import { fromBase64, toBase64 } from "./bytes";
import { MICRO_LAMPORTS_PER_LAMPORT } from "./fees";
import { encodeU64, type InstructionLike, type ReadInstruction, toDataView } from "./instructions";
import { COMPUTE_BUDGET_PROGRAM } from "./programs";

/**
 * Highest compute-unit price in a transaction built here. Aggregators have returned absurd prices. With this cap, the
 * priority fee of a transaction with 400,000 units is at most 100,000 lamports.
 */
export const MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 250_000n;

/** The runtime's compute-unit limit per transaction. Source: MAX_COMPUTE_UNIT_LIMIT, Agave. */
export const MAX_COMPUTE_UNITS = 1_400_000;

/** First byte of the compute-budget program's instructions. Source: ComputeBudgetInstruction, Solana SDK. */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** Largest priority fee of a transaction built here, whatever its unit limit and the settings. Clients refuse more. */
export const MAX_PRIORITY_FEE_LAMPORTS = 100_000n;

/** Returns the highest price in micro-lamports per unit that keeps `units` within `maxLamports` and the overall cap. */
export function getMaxPrice(units: number, maxLamports: bigint): bigint {
  const affordable = (maxLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(units);
  return affordable < MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS ? affordable : MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS;
}

/** Reads the micro-lamports per unit of a price instruction. Null for any other instruction. */
export function readUnitPrice({ program, data }: Pick<ReadInstruction, "program" | "data">): bigint | null {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_PRICE && data.length === 9;
  return matches ? toDataView(data).getBigUint64(1, true) : null;
}

/** Reads the units of a limit instruction. Null for any other instruction. */
export function readUnitLimit({ program, data }: Pick<ReadInstruction, "program" | "data">): number | null {
  const matches = program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_LIMIT && data.length === 5;
  return matches ? toDataView(data).getUint32(1, true) : null;
}

/**
 * Caps the price of a compute-unit price instruction at MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS. `dataBase64` is tag byte
 * 3 and the price in micro-lamports as u64 LE. Returns base64, or null for any other instruction.
 */
export function capComputeUnitPrice(dataBase64: string): string | null {
  const data = fromBase64(dataBase64);
  const price = data && readUnitPrice({ program: COMPUTE_BUDGET_PROGRAM, data });
  if (price === null || price <= MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS) return price === null ? null : dataBase64;
  return setComputeUnitPrice(MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS).data;
}

/** Builds the instruction that sets the unit price. @throws {RangeError} unless it is an unsigned 64-bit integer */
export function setComputeUnitPrice(microLamports: bigint): InstructionLike {
  const data = toBase64(Uint8Array.of(SET_UNIT_PRICE, ...encodeU64(microLamports)));
  return { programId: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}

/**
 * Builds the instruction that limits a transaction to `units` compute units.
 * @throws {RangeError} unless `units` is a whole number from 1 to MAX_COMPUTE_UNITS
 */
export function setComputeUnitLimit(units: number): InstructionLike {
  if (!Number.isInteger(units) || units < 1 || units > MAX_COMPUTE_UNITS) {
    throw new RangeError(`compute unit limit out of range: ${units}`);
  }
  const bytes = new Uint8Array(5);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, SET_UNIT_LIMIT);
  view.setUint32(1, units, true);
  return { programId: COMPUTE_BUDGET_PROGRAM, accounts: [], data: toBase64(bytes) };
}
