import { LAMPORTS_PER_SOL } from "../solana/lamports";

/** Money is integer inside: micro-dollars (10^-6 USD), lamports (10^-9 SOL), token base units. Numbers exist at the edge only. */
export const MICRO_PER_USD = 1_000_000n;

/** Fees are given in basis points: 1 bps is 1/10,000. */
export const BPS = 10_000n;

/**
 * A dollar amount as integer micro-dollars, rounded half-up at the 7th decimal of its shortest decimal form
 * (so 27.63 is exactly 27,630,000 although no double is exactly 27.63).
 * @throws {RangeError} on a negative or non-finite amount
 */
export function toMicroUsd(usd: number): bigint {
  return scaled(usd, 6);
}

/** `amount` · 10^decimals, rounded half-up from the shortest decimal form: a double's own digits never pass through arithmetic. */
function scaled(amount: number, decimals: number): bigint {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError("money is a finite amount of at least 0");
  const text = String(amount);
  const e = text.indexOf("e");
  const mantissa = e < 0 ? text : text.slice(0, e);
  const point = mantissa.indexOf(".");
  const decimalsGiven = point < 0 ? 0 : mantissa.length - point - 1;
  const digits = mantissa.replace(".", "");
  const shift = decimals + (e < 0 ? 0 : Number(text.slice(e + 1))) - decimalsGiven;
  if (shift < 0) {
    const divisor = 10n ** BigInt(-shift);
    return (BigInt(digits) * 2n + divisor) / (divisor * 2n);
  }
  // A product of integers that comes out safe is exact. 0.25 µs; with bigints all the way it takes 0.7.
  const product = Number(digits) * 10 ** shift;
  return Number.isSafeInteger(product) ? BigInt(product) : BigInt(digits) * 10n ** BigInt(shift);
}

/** Exact up to 2^53 micro-dollars (9 billion USD). */
export function fromMicroUsd(micro: bigint): number {
  return Number(micro) / 1e6;
}

/** To six decimals: what doubles add beyond the micro-dollar, or the millionth of a percent, is taken off. */
export function roundToMicro(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

/** To the nearest cent, half up, as a card's statement converts; through micro-dollars, so that 1.005 is exactly half a cent. */
export function toCents(usd: number): number {
  return Math.round(Math.round(usd * 1e6) / 1e4) / 100;
}

/** Dollars up to the next cent, so that whoever brings exactly this has enough; through micro-dollars, so that 0.07 stays 7 cents. */
export function ceilToCents(usd: number): number {
  return Math.ceil(Math.round(usd * 1e6) / 1e4) / 100;
}

/** SOL as integer lamports, rounded half-up as toMicroUsd does. @throws {RangeError} on a negative or non-finite amount */
export function solToLamports(sol: number): bigint {
  return scaled(sol, 9);
}

/** Every lamport counts up to 2^52 of them (4 million SOL). */
export function lamportsToSol(lamports: bigint | number): number {
  return Number(lamports) / 1e9;
}

/** What lamports are worth, to show it: nothing is built from it. */
export function lamportsToUsd(lamports: number, solPriceUsd: number): number {
  return lamportsToSol(lamports) * solPriceUsd;
}

/** Lamports worth `micro` at `solPriceMicroUsd` per SOL, rounded down. @throws {RangeError} on a price that is not positive */
export function microUsdToLamports(micro: bigint, solPriceMicroUsd: bigint): bigint {
  if (solPriceMicroUsd <= 0n) throw new RangeError("a price is positive");
  return (micro * LAMPORTS_PER_SOL) / solPriceMicroUsd;
}

/** Micro-dollars `lamports` are worth, rounded down. */
export function lamportsToMicroUsd(lamports: bigint, solPriceMicroUsd: bigint): bigint {
  return (lamports * solPriceMicroUsd) / LAMPORTS_PER_SOL;
}

/** Dollars that missing lamports are worth, rounded down to the millionth, but never 0 where something is missing. */
export function missingUsd(lamports: bigint, solPriceMicroUsd: bigint): number {
  return lamports === 0n ? 0 : fromMicroUsd(lamportsToMicroUsd(lamports, solPriceMicroUsd) || 1n);
}

/** The fewest lamports that are worth at least `micro`. @throws {RangeError} on a price that is not positive */
export function lamportsForMicroUsd(micro: bigint, solPriceMicroUsd: bigint): bigint {
  const floor = microUsdToLamports(micro, solPriceMicroUsd);
  return lamportsToMicroUsd(floor, solPriceMicroUsd) < micro ? floor + 1n : floor;
}

/** `bps` of an amount, rounded down: a fee never rounds in the service's favour. */
export function share(amount: bigint, bps: bigint): bigint {
  return (amount * bps) / BPS;
}

/** `pct` percent of an amount, rounded down; the percentage counts to 6 decimals. @throws {RangeError} on a negative percentage */
export function percentOf(amount: bigint, pct: number): bigint {
  return (amount * scaled(pct, 6)) / 100_000_000n;
}

/** The smallest amount of which percentOf is at least 1. @throws {RangeError} on a percentage that is not positive */
export function leastWithPercent(pct: number): bigint {
  const millionths = scaled(pct, 6);
  if (millionths === 0n) throw new RangeError("a percentage is positive");
  return (100_000_000n + millionths - 1n) / millionths;
}

/** `digits` · 10^exponent as the nearest number: multiplying by a power of ten would round twice. */
export function fromExponent(digits: string, exponent: number): number {
  return Number(`${digits}e${exponent}`);
}

/** Base units as a plain decimal number of coins, e.g. 12345678n with 8 decimals is 0.12345678. Display precision only; may be negative. */
export function toCoins(amount: bigint, decimals: number): number {
  if (amount < 0n) return -toCoins(-amount, decimals);
  const digits = amount.toString().padStart(decimals + 1, "0");
  return Number(`${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`);
}

/** Micro-dollars that `amount` base units are worth at `priceUsd` per coin, rounded down; the price counts to 12 decimals. */
export function valueMicroUsd(amount: bigint, decimals: number, priceUsd: number): bigint {
  return (amount * scaled(priceUsd, 12)) / 10n ** BigInt(decimals + 6);
}
