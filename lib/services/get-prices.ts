import type { Deps } from "../ports/deps";
import { readPriceList } from "./steps/prices/read-prices";

export async function getPrices(deps: Deps) {
  return readPriceList(deps);
}
