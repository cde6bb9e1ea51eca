import type { Pause } from "../domain/pause";
import type { PriceBounds } from "../domain/prices/price-bounds";
import type { NamedNetwork } from "../domain/signed-texts";
import type { Background } from "./background";
import type { Clock } from "./clock";
import type { Faucet } from "./faucet";
import type { KvStore } from "./kv-store";
import type { Measures } from "./measures";
import type { Places } from "./places";
import type { PriceFeed, PriceHistory } from "./prices";
import type { PriorityFees } from "./priority-fees";
import type { Random } from "./random";
import type { SignatureWatch } from "./signature-watch";
import type { SolanaRpc } from "./solana-rpc";
import type { StoreWatch } from "./store-watch";
import type { SwapAggregator } from "./swap-aggregator";
import type { UpstreamReport } from "./upstream-report";
import type { Verifier } from "./verifier";

/**
 * The ports, and the settings of the deployment. A port is the interface through which services reach an upstream, the
 * store, or a resource of the process such as its clock. When an upstream or the store fails, the port throws an AppError
 * with an upstream_* code. Methods that throw other codes say so.
 */
export interface Deps {
  network: NamedNetwork;
  /** The name that signed texts contain: the public origin of this deployment, or the sandbox's name. */
  deployment: string;
  feeCollectors: readonly string[];
  clock: Clock;
  random: Random;
  kv: KvStore;
  /** The actions that the settings pause; null when nothing is paused. */
  pause: Pause | null;
  prices: PriceFeed;
  priceHistory: PriceHistory;
  /** A price outside of these bounds is treated as missing. */
  priceBounds: PriceBounds;
  swaps: SwapAggregator;
  rpc: SolanaRpc;
  /** Null when transactions built here offer no priority fee. */
  priorityFees: PriorityFees | null;
  measures: Measures;
  /** The highest priority fee of a transaction built here, in lamports, including swaps of the aggregator. */
  maxPriorityFeeLamports: bigint;
  reportUpstreams: () => UpstreamReport[];
  signatureWatch: SignatureWatch;
  background: Background;
  storeWatch: StoreWatch;
  places: Places;
  verifier: Verifier;
  /** Returns the secret of the sign-in nonces, which all instances share. @throws AppError upstream_* */
  readSignInSecret: () => Promise<string>;
  /** Null except in the sandbox. */
  faucet: Faucet | null;
  /** Returns whether the process is shutting down: requests in flight are finished, and new work is refused. */
  isEnding: () => boolean;
}
