import { KNOWN_TOKENS, type KnownToken } from "../domain/assets";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { roundUp, sumRoundUps, toRoundUpTerms } from "../domain/round-up";
import type { SavingTerms } from "./requests";

const AMOUNT_PATTERN = /^(\d{1,12})(?:\.(\d+))?$/;

/** Converts coins, e.g. "0.25", to base units. @throws {RangeError} unless they are positive digits within the decimals */
export function toBaseUnits(asset: KnownToken, coins: string): string {
  const { decimals } = KNOWN_TOKENS[asset];
  const [, whole, fraction = ""] = AMOUNT_PATTERN.exec(coins) ?? [];
  const isValid = whole !== undefined && fraction.length <= decimals;
  const baseUnits = isValid ? BigInt(whole + fraction.padEnd(decimals, "0")) : 0n;
  if (baseUnits === 0n)
    throw new RangeError(`${coins} is not an amount of ${asset}: use digits, with at most ${decimals} decimals.`);
  return baseUnits.toString();
}

/** Returns the total change of these purchases, in US dollars. @throws {RangeError} on invalid terms */
export function sumRoundUpsUsd(purchasesUsd: readonly number[], terms: SavingTerms): number {
  const roundUpTerms = toRoundUpTerms({ ...terms, ceiling: terms.ceilingUsd });
  return fromMicroUsd(sumRoundUps(purchasesUsd.map((usd) => roundUp(toMicroUsd(usd), roundUpTerms))).microUsd);
}
