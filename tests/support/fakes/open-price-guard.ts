import { createMemoryStorage } from "../../../lib/sdk/platform";
import { createPriceGuard } from "../../../lib/sdk/prices/guard";

/** Creates a guard that has no confirmed prices, for flows whose prices do not matter. */
export const createOpenPriceGuard = () =>
  createPriceGuard({ storage: createMemoryStorage(), clock: { now: () => 0 }, network: "sandbox" });
