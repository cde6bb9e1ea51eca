import { LAMPORTS_PER_SOL } from "../solana/programs";

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
  const [mantissa = "0", exponent = "0"] = String(amount).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const digits = BigInt(whole + fraction);
  const shift = decimals + Number(exponent) - fraction.length;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits * 2n + divisor) / (divisor * 2n);
}

/** Exact up to 2^53 micro-dollars (9 billion USD). */
export function fromMicroUsd(micro: bigint): number {
  return Number(micro) / 1e6;
}

/** Exact up to 2^53 lamports (9 million SOL). */
export function lamportsToSol(lamports: bigint): number {
  return Number(lamports) / 1e9;
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

/** `bps` of an amount, rounded down: a fee never rounds in the service's favour. */
export function share(amount: bigint, bps: bigint): bigint {
  return (amount * bps) / BPS;
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
