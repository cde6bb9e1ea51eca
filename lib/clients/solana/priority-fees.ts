import type { Clock } from "../../ports/clock";
import type { PriorityFees } from "../../ports/priority-fees";
import type { SolanaRpc } from "../../ports/solana-rpc";
import { findPercentile } from "../../solana/budget";
import { createCache } from "../process/cache";
import { ignoreOutage } from "../store/store-failure";

interface PriorityFeesOptions {
  rpc: Pick<SolanaRpc, "readUnitPrices">;
  /** The percentile of recent unit prices to offer, 0 to 100. */
  percentile: number;
  clock: Clock;
}

/** How long a price is served, ms: about 25 blocks. Fees change over minutes, so an older price is still useful. */
const PRICE_TTL_MS = 10_000;
/** The longest time that a build waits for the price, ms. */
const MAX_WAIT_MS = 1_000;

/**
 * When the node fails or is slow, the price is 0 for PRICE_TTL_MS: the transaction loses its priority, but it is built.
 */
export function createPriorityFees({ rpc, percentile, clock }: PriorityFeesOptions): PriorityFees {
  const readPrice = async (accounts: string[]): Promise<bigint> => {
    const unitPrices = await rpc.readUnitPrices(accounts).catch(ignoreOutage);
    return findPercentile(unitPrices ?? [], percentile);
  };
  const readInTime = (accounts: string[]) =>
    Promise.race([readPrice(accounts), clock.sleep(MAX_WAIT_MS).then(() => 0n)]);
  const cachedPrices = createCache<bigint>({ ttlMs: PRICE_TTL_MS, clock, maxEntries: 1_000 });
  return { readUnitPrice: (accounts) => cachedPrices.get(accounts.join(), () => readInTime(accounts)) };
}
