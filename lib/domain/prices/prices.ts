import type { AssetSymbol } from "../assets";
import type { PriceDoubt } from "./price-check";

/** How the second price source does: null where there is none, silent once it has said nothing for a minute. */
export type SecondSource = "answers" | "silent" | "unauthorised" | null;

export interface Prices {
  /** US dollars for one coin, within the asset's bounds. An asset without a usable price is absent; without SOL's there are no prices. */
  usd: { SOL: number } & Partial<Record<AssetSymbol, number>>;
  /** When the source was read, ms since the epoch. */
  fetchedAt: number;
  source: string;
  /** Of the assets whose price is good to show, not to build with. */
  doubts: Partial<Record<AssetSymbol, PriceDoubt>>;
  secondSource: SecondSource;
}

/** Whether an asset's price may build, but for its age. */
export const isSound = ({ usd, doubts }: Pick<Prices, "usd" | "doubts">, asset: AssetSymbol) =>
  usd[asset] !== undefined && doubts[asset] === undefined;
