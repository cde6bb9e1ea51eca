import type { DataOf } from "../contracts/define";
import type { getPricesContract } from "../contracts/get-prices";
import type { Deps } from "../ports";
import { FRESH_MS } from "./steps/prices";

export async function getPrices({ prices, clock }: Deps): Promise<DataOf<typeof getPricesContract>> {
  const current = await prices.current();
  const ageMs = Math.max(0, clock.now() - current.fetchedAt);
  return {
    prices: current.usd,
    timestamp: new Date(current.fetchedAt).toISOString(),
    ageMs,
    stale: ageMs > FRESH_MS || !current.agreed,
    source: current.source,
  };
}
