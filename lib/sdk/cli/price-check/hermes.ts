import { z } from "zod";
import { parseWithExponent } from "../../../domain/money";
import { REFERENCE_MAX_AGE_MS, type ReferencePrice } from "../../../domain/prices/price-check";
import { PYTH_FEEDS } from "../../../domain/prices/pyth-feeds";
import type { PriceSource } from "../../prices/guard";
import type { Fetch } from "../../world";
import { collectPrices, fetchJson } from "./requests";

const HERMES_URL = "https://pyth.dourolabs.app/hermes";

const Digits = z.string().regex(/^\d{1,20}$/);
const PriceEntry = z.object({
  id: z.string(),
  price: z.object({
    price: Digits,
    conf: Digits,
    expo: z.int().min(-18).max(18),
    publish_time: z.int().positive(),
  }),
});
const HermesAnswer = z.object({ parsed: z.array(PriceEntry).max(64) });

/** Creates a price source that reads Pyth's Hermes API with the user's own key. */
export function createHermesSource(apiKey: string, fetch: Fetch): PriceSource {
  return {
    maxAgeMs: REFERENCE_MAX_AGE_MS,
    async readPrices(assets) {
      const ids = assets.map((asset) => `ids[]=${PYTH_FEEDS[asset]}`).join("&");
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetchJson(`${HERMES_URL}/v2/updates/price/latest?${ids}`, { method: "GET", headers }, fetch);
      const { parsed } = HermesAnswer.parse(answer);
      return collectPrices(assets, (asset) => {
        const entry = parsed.find(({ id }) => id.replace(/^0x/, "") === PYTH_FEEDS[asset]);
        return entry ? toReferencePrice(entry.price) : null;
      });
    },
  };
}

function toReferencePrice({ price, conf, expo, publish_time }: z.infer<typeof PriceEntry>["price"]): ReferencePrice {
  return {
    usd: parseWithExponent(price, expo),
    confidenceUsd: parseWithExponent(conf, expo),
    publishedAt: publish_time * 1000,
  };
}
