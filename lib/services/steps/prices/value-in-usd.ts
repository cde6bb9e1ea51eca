import type { ActivityAmounts } from "../../../domain/activity";
import { type AssetSymbol, assetOfMint } from "../../../domain/assets";
import { fromMicroUsd, valueMicroUsd } from "../../../domain/money";
import type { Deps } from "../../../ports/deps";
import { NATIVE_MINT } from "../../../solana/programs";
import { tolerate } from "../tolerate";

/** US dollars for one coin. */
type KnownPrices = Partial<Record<AssetSymbol, number>>;

/** Returns the value in US dollars, or null if any part has no price in `usd`. */
export function valueUsd(valued: ActivityAmounts, usd: KnownPrices): number | null {
  let microUsd = 0n;
  for (const { mint, amount, decimals } of moneyIn(valued)) {
    const asset = assetOfMint(mint);
    const price = asset && usd[asset];
    if (price === null || price === undefined) return null;
    microUsd += valueMicroUsd(amount, decimals, price);
  }
  return fromMicroUsd(microUsd);
}

/**
 * Returns the value in US dollars at the daily prices nearest to `time`, ms since the epoch. Null if any price is
 * unknown.
 */
export async function estimateUsd(
  { priceHistory }: Deps,
  valued: ActivityAmounts,
  time: number,
): Promise<number | null> {
  const assets = [...new Set(moneyIn(valued).map(({ mint }) => assetOfMint(mint)))];
  const prices = await Promise.all(
    assets.map(async (asset) => [asset, asset && (await tolerate(priceHistory.at(asset, time)))] as const),
  );
  return valueUsd(valued, Object.fromEntries(prices.filter(([, usd]) => usd !== null)));
}

const moneyIn = ({ lamports, tokens }: ActivityAmounts) =>
  lamports > 0n ? [{ mint: NATIVE_MINT, amount: lamports, decimals: 9 }, ...tokens] : tokens;
