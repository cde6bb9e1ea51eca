import { z } from "zod";
import { ASSET_SYMBOLS } from "../../domain/assets";
import { DAY_MS } from "../../domain/prices/price-history";
import type { PriceHistory } from "../../ports/prices";
import { createPriceHistory } from "../prices/price-history";
import { createJsonRpc, type JsonRpcOptions } from "../solana/json-rpc";

const MAX_BYTES = 262_144;

/** One list of daily prices for each asset. */
const Days = z.record(z.enum(ASSET_SYMBOLS), z.array(z.number().positive()));

/** Creates the price history of the sandbox, which generates its own prices. */
export function createSandboxPrices(options: Omit<JsonRpcOptions, "upstream">): PriceHistory {
  const rpc = createJsonRpc({ ...options, upstream: "sandbox" });
  return createPriceHistory({
    clock: options.clock,
    async load(first, last) {
      const days = await rpc.call("sandbox_dailyPrices", [first, last - first + 1], Days, { maxBytes: MAX_BYTES });
      return days.SOL.map((_, i) => ({
        time: (first + i) * DAY_MS,
        usd: Object.fromEntries(ASSET_SYMBOLS.map((asset) => [asset, days[asset][i]!])),
        source: "sandbox",
      }));
    },
  });
}
