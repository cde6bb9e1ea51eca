import type { AssetSymbol } from "../../domain/assets";
import type { Chain, Json } from "../chain/types";
import { type Config, checkMinContextSlot, type Params } from "./params";

/** State that the RPC methods share. Reads of accounts return the newest state for any requested commitment. */
export interface RpcContext {
  chain: Chain;
  getInfo: () => Json;
  /** Issues play USDC to a wallet, base units. Returns the transaction's signature. @throws RpcError */
  issueUsdc: (owner: string, amount: bigint) => string;
  /** Holds the market's price of one coin, US dollars. Null releases it. @throws {RangeError} for an invalid price */
  setPrice: (symbol: AssetSymbol, usd: number | null) => void;
  /** Returns the market's US dollar prices at the start of each day, one list per coin. Days count from the epoch. */
  listDailyPrices: (firstDay: number, days: number) => Record<AssetSymbol, number[]>;
}

export type RpcMethod = (context: RpcContext, params: Params) => Json;

/** Version of the cluster software whose RPC the sandbox follows. */
export const API_VERSION = "4.2.0";

/** Wraps a value in { context, value }. @throws RpcError -32016 when the chain is behind the caller */
export function withContext({ chain }: RpcContext, config: Config, getValue: () => Json): Json {
  const slot = chain.getSlot();
  checkMinContextSlot(config, slot);
  return { context: { apiVersion: API_VERSION, slot }, value: getValue() };
}
