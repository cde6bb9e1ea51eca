import type { DataOf } from "../contracts/define";
import type { getPricesContract } from "../contracts/get-prices";
import type { Deps } from "../ports/deps";
import { readPriceList } from "./steps/prices/price-list";

/** Returns the current prices and the doubts about them. @throws AppError price_stale, upstream_* */
export async function getPrices(deps: Deps): Promise<DataOf<typeof getPricesContract>> {
  return readPriceList(deps);
}
