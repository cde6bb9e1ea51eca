import type { AssetSymbol } from "../assets";
import { isAtParity } from "./price-bounds";
import type { PriceDoubt } from "./price-check";

/**
 * State of the second price source. `silent` means that the source has not answered for a minute. `unauthorised` means
 * that the source refuses this deployment's key. Null means that no second source is configured.
 */
export type SecondSourceStatus = "answers" | "silent" | "unauthorised" | null;

export interface Prices {
  /** US dollars per coin, within the asset's bounds. Assets without a usable price are absent, except SOL. */
  usd: { SOL: number } & Partial<Record<AssetSymbol, number>>;
  /** Time the source was read, ms since the epoch. */
  fetchedAt: number;
  /** Name of the first price source. */
  source: string;
  /** Assets whose price may be displayed but must not be used to build transactions. */
  doubts: Partial<Record<AssetSymbol, PriceDoubt>>;
  secondSource: SecondSourceStatus;
  /** Sound prices of dollar tokens from the second source. Assets without one are absent. */
  referenceUsd?: Partial<Record<AssetSymbol, number>>;
}

/** Returns whether an asset's price may be used to build a transaction. Does not check the age of the price. */
export const hasSoundPrice = ({ usd, doubts }: Pick<Prices, "usd" | "doubts">, asset: AssetSymbol) =>
  usd[asset] !== undefined && doubts[asset] === undefined;

/** Returns whether USDC counts as exactly one US dollar in each source that knows it. False without a price. */
export const isUsdcAtParity = ({ usd, referenceUsd }: Pick<Prices, "usd" | "referenceUsd">): boolean =>
  usd.USDC !== undefined && isAtParity(usd.USDC) && isAtParity(referenceUsd?.USDC ?? 1);
