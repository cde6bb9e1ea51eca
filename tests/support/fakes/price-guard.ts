import { createPriceGuard } from "../../../lib/sdk/prices/guard";
import { memoryStorage } from "../../../lib/sdk/world";

/** A guard that has confirmed nothing yet, for flows whose prices do not matter. */
export const anyPrices = () =>
  createPriceGuard({ storage: memoryStorage(), clock: { now: () => 0 }, network: "sandbox" });
