import type { DataOf } from "../contracts/define";
import type { getPricesContract } from "../contracts/get-prices";
import type { Deps } from "../ports/deps";
import { readPriceList } from "./steps/prices/price-list";

export async function getPrices(deps: Deps): Promise<DataOf<typeof getPricesContract>> {
  return readPriceList(deps);
}
