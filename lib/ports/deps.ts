import type { Pause } from "../domain/pause";
import type { PriceBounds } from "../domain/prices/price-bounds";
import type { Background } from "./background";
import type { Clock } from "./clock";
import type { Faucet } from "./faucet";
import type { KvStore } from "./kv-store";
import type { NetworkName } from "./network";
import type { PriceFeed, PriceHistory } from "./prices";
import type { PriorityFees } from "./priority-fees";
import type { Random } from "./random";
import type { SignatureWatch } from "./signature-watch";
import type { SolanaRpc } from "./solana-rpc";
import type { SwapAggregator } from "./swap-aggregator";
import type { UpstreamReport } from "./upstream-report";
import type { Verifier } from "./verifier";

/** Everything a service may use of the world. */
export interface Deps {
  network: NetworkName;
  /** What the signed texts name: the origin people know this deployment by, or the sandbox's name. */
  deployment: string;
  /** Public keys, base58, that fees go to. */
  feeCollectors: readonly string[];
  clock: Clock;
  random: Random;
  kv: KvStore;
  /** What the settings pause; null: nothing. */
  pause: Pause | null;
  prices: PriceFeed;
  priceHistory: PriceHistory;
  /** Outside of these a price is none. */
  priceBounds: PriceBounds;
  swaps: SwapAggregator;
  rpc: SolanaRpc;
  /** Null: transactions built here offer none. */
  priorityFees: PriorityFees | null;
  /** The most that a transaction built here offers beside the base fee, the aggregator's swaps included. */
  maxPriorityFeeLamports: bigint;
  /** How everybody who is asked has answered of late. */
  upstreams: () => UpstreamReport[];
  watch: SignatureWatch;
  background: Background;
  verifier: Verifier;
  faucet: Faucet | null;
  /** Whether the process has been told to end: what is under way is finished, and new work belongs elsewhere. */
  isEnding: () => boolean;
}
