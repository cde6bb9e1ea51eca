import { createPriceGuard } from "../../../lib/sdk/prices/guard";
import { memoryStorage } from "../../../lib/sdk/world";

/** Creates a guard that has no confirmed prices, for flows whose prices do not matter. */
export const createOpenPriceGuard = () =>
  createPriceGuard({ storage: memoryStorage(), clock: { now: () => 0 }, network: "sandbox" });
