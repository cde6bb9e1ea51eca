import { ASSETS, type AssetSymbol } from "../domain/assets";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { roundUp, sumRoundUps, toRoundUpTerms } from "../domain/round-up";
import type { SavingTerms } from "./requests";

/**
 * Converts an amount in coins, e.g. "0.25", to base units.
 * @throws {RangeError} unless the amount is positive and has no more decimals than the asset
 */
export function toBaseUnits(asset: AssetSymbol, coins: string): string {
  const { decimals } = ASSETS[asset];
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d+))?$/.exec(coins) ?? [];
  const units = whole === undefined || part.length > decimals ? 0n : BigInt(whole + part.padEnd(decimals, "0"));
  if (units === 0n) throw new RangeError(`${coins} is no amount of ${asset}: digits, ${decimals} decimals at most.`);
  return units.toString();
}

/** Returns the total round-up, in US dollars, that `save` takes for these purchases (US dollars each). */
export function sumRoundUpsUsd(purchases: readonly number[], terms: SavingTerms): number {
  const each = toRoundUpTerms({ ...terms, ceiling: terms.ceilingUsd });
  return fromMicroUsd(sumRoundUps(purchases.map((usd) => roundUp(toMicroUsd(usd), each))).microUsd);
}
