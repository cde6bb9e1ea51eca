import type { AssetSymbol } from "../../domain/assets";
import type { Chain, Json } from "../chain/types";
import type { Faults } from "./faults";
import { type Config, checkMinContextSlot, type Params } from "./params";

/** What the methods work on. Reads always answer the newest state, whatever commitment they ask for. */
export interface RpcContext {
  chain: Chain;
  faults: Faults;
  /** What sandbox_info answers. */
  info: () => Json;
  /** Holds the market's price of one coin, US dollars; null lets it go. @throws {RangeError} for what is no price */
  setPrice: (symbol: AssetSymbol, usd: number | null) => void;
  /** The market's prices at the beginning of some days, each counted from the epoch: US dollars, a list for each coin. */
  dailyPrices: (first: number, days: number) => Record<AssetSymbol, number[]>;
}

export type RpcMethod = (context: RpcContext, params: Params) => Json;

/** Version of the cluster software whose RPC this follows. */
export const API_VERSION = "3.0.0";

/** The { context, value } most methods answer with. */
export function withContext({ chain }: RpcContext, config: Config, value: () => Json): Json {
  const slot = chain.slot();
  checkMinContextSlot(config, slot);
  return { context: { apiVersion: API_VERSION, slot }, value: value() };
}
