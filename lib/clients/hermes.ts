import { z } from "zod";
import { ASSET_SYMBOLS, type AssetSymbol } from "../domain/assets";
import { fromExponent } from "../domain/money";
import type { ReferencePrice } from "../domain/price-check";
import type { Clock } from "../ports";
import { fetchJson } from "./fetch-json";

export interface HermesOptions {
  baseUrl: string;
  /** Bearer key, required since August 2026. */
  apiKey: string;
  timeoutMs: number;
  clock: Clock;
}

export interface Hermes {
  /**
   * The assets' latest reference prices, however old or uncertain; those it does not have are absent.
   * @throws AppError upstream_*; its cause is a KeyRefused when the key is wrong or not entitled
   */
  prices(): Promise<Partial<Record<AssetSymbol, ReferencePrice>>>;
}

/** Pyth's price feeds in US dollars; source: the feed list at docs.pyth.network. */
export const PYTH_FEEDS: Record<AssetSymbol, string> = {
  BTC: "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43",
  ETH: "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace",
  SOL: "ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d",
  USDC: "eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a",
  USDT: "2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b",
};

const MAX_BYTES = 262_144;

const Digits = z.string().regex(/^-?\d{1,20}$/);
const Price = z.object({
  price: Digits,
  conf: Digits,
  expo: z.number().int().min(-18).max(18),
  publish_time: z.number().int().positive(),
});
// One feed's odd entry must not cost the others theirs, so entries are looked at one by one.
const Answer = z.object({ parsed: z.array(z.object({ id: z.string(), price: z.unknown() })).max(64) });

/** Pyth Hermes, the second price source. */
export function createHermes({ baseUrl, apiKey, timeoutMs, clock }: HermesOptions): Hermes {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/v2/updates/price/latest`);
  for (const id of Object.values(PYTH_FEEDS)) url.searchParams.append("ids[]", id);
  const options = {
    upstream: "hermes",
    headers: { authorization: `Bearer ${apiKey}` },
    timeoutMs,
    maxBytes: MAX_BYTES,
    clock,
  };

  return {
    async prices() {
      const { parsed } = await fetchJson(url, { ...options, schema: Answer });
      const byFeed = new Map(parsed.map(({ id, price }) => [id.replace(/^0x/, ""), price]));
      const found = ASSET_SYMBOLS.flatMap((symbol): [AssetSymbol, ReferencePrice][] => {
        const price = Price.safeParse(byFeed.get(PYTH_FEEDS[symbol]));
        return price.success ? [[symbol, toReference(price.data)]] : [];
      });
      return Object.fromEntries(found);
    },
  };
}

function toReference({ price, conf, expo, publish_time }: z.infer<typeof Price>): ReferencePrice {
  return { usd: fromExponent(price, expo), confidenceUsd: fromExponent(conf, expo), publishedAt: publish_time * 1000 };
}
