import { z } from "zod";
import { REFERENCE_MAX_AGE_MS } from "../../domain/prices/price-check";
import { MAX_PYTH_EXPONENT, PYTH_FEEDS, toReferencePrice } from "../../domain/prices/pyth-feeds";
import type { Fetch } from "../../sdk/platform";
import type { PriceSource } from "../../sdk/prices/guard";
import { collectPrices, fetchJson } from "./fetch-json";

const HERMES_URL = "https://pyth.dourolabs.app/hermes";

const Digits = z.string().regex(/^\d{1,20}$/);
const PriceEntry = z.object({
  id: z.string(),
  price: z
    .object({
      price: Digits,
      conf: Digits,
      expo: z.int().min(-MAX_PYTH_EXPONENT).max(MAX_PYTH_EXPONENT),
      publish_time: z.int().positive(),
    })
    .transform(({ price, conf, expo, publish_time }) =>
      toReferencePrice({ price, confidence: conf, exponent: expo, publishTime: publish_time }),
    ),
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
        return entry?.price ?? null;
      });
    },
  };
}
