import { z } from "zod";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { REFERENCE_MAX_AGE_MS, type ReferenceAnswer, type ReferencePrice } from "../../domain/prices/price-check";
import type { SecondSourceStatus } from "../../domain/prices/prices";
import { MAX_PYTH_EXPONENT, PYTH_FEEDS, toReferencePrice } from "../../domain/prices/pyth-feeds";
import { AppError, KeyRefusedFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { fetchJson, hasStatus } from "../http/fetch-json";

interface HermesOptions {
  baseUrl: string;
  /** Bearer key, required since August 2026. */
  apiKey: string;
  timeoutMs: number;
  clock: Clock;
}

export type Hermes = ReturnType<typeof createHermes>;

const NO_PRICES_AT_TIME = 404;

/** Far above an answer with the five feeds, as is the limit of 64 entries below. */
const MAX_ANSWER_BYTES = 262_144;

const Digits = z.string().regex(/^-?\d{1,20}$/);
const PriceEntry = z
  .object({
    price: Digits,
    conf: Digits,
    expo: z.number().int().min(-MAX_PYTH_EXPONENT).max(MAX_PYTH_EXPONENT),
    publish_time: z.number().int().positive(),
  })
  .transform(({ price, conf, expo, publish_time }) =>
    toReferencePrice({ price, confidence: conf, exponent: expo, publishTime: publish_time }),
  );
// Entries are parsed one by one, so that a malformed feed does not lose the others.
const PricesAnswer = z.object({ parsed: z.array(z.object({ id: z.string(), price: z.unknown() })).max(64) });

/** Creates the client of Pyth Hermes, the second price source. An asset without a price is missing from the results. */
export function createHermes({ baseUrl, apiKey, timeoutMs, clock }: HermesOptions) {
  const buildUrl = (publishTime: string) => {
    const url = new URL(`${baseUrl.replace(/\/+$/, "")}/v2/updates/price/${publishTime}`);
    for (const id of Object.values(PYTH_FEEDS)) url.searchParams.append("ids[]", id);
    return url;
  };
  const latestUrl = buildUrl("latest");
  const headers = { authorization: `Bearer ${apiKey}` };
  const requestOptions = { upstream: "hermes", headers, timeoutMs, maxBytes: MAX_ANSWER_BYTES, clock };
  const requestPrices = async (url: URL): Promise<Partial<Record<AssetSymbol, ReferencePrice>>> => {
    const { parsed } = await fetchJson(url, { ...requestOptions, schema: PricesAnswer });
    const priceByFeedId = new Map(parsed.map(({ id, price }) => [id.replace(/^0x/, ""), price]));
    const prices = ASSET_SYMBOLS.flatMap((symbol): [AssetSymbol, ReferencePrice][] => {
      const parsedPrice = PriceEntry.safeParse(priceByFeedId.get(PYTH_FEEDS[symbol]));
      return parsedPrice.success ? [[symbol, parsedPrice.data]] : [];
    });
    return Object.fromEntries(prices);
  };

  return {
    /**
     * Returns the latest prices, however old or uncertain. @throws AppError upstream_*, perhaps with a KeyRefusedFault
     */
    readPrices: () => requestPrices(latestUrl),
    /** Returns the first prices published at or after `timeMs`; {} when there are none. @throws AppError upstream_* */
    async readPricesAt(timeMs: number) {
      try {
        return await requestPrices(buildUrl(String(Math.floor(timeMs / 1000))));
      } catch (error) {
        if (hasStatus(error, NO_PRICES_AT_TIME)) return {};
        throw error;
      }
    },
  };
}

export interface ReferencePrices {
  findReference(symbol: AssetSymbol): ReferenceAnswer;
  state: SecondSourceStatus;
}

const STATE_NOTICES: Record<NonNullable<SecondSourceStatus>, string> = {
  answers: "the second price source answers again",
  silent: "the second price source is silent",
  unauthorised: "the second price source refuses HERMES_API_KEY",
};

/**
 * Returns a function that reads the second source. It reports a failed read as "silent" and does not throw. It keeps the
 * last state while SOL's last price is at most REFERENCE_MAX_AGE_MS old: one lost answer is not silence.
 * @param notify called when the source stops answering or refuses the key, and when it answers again
 */
export function createSecondSource(
  hermes: Pick<Hermes, "readPrices">,
  clock: Clock,
  notify: (text: string) => void,
): () => Promise<ReferencePrices> {
  const lastPrices = new Map<string, ReferencePrice>();
  let lastState: NonNullable<SecondSourceStatus> = "answers";

  return async () => {
    const { freshPrices, currentState } = await readSource(hermes);
    for (const [symbol, price] of Object.entries(freshPrices)) lastPrices.set(symbol, price);
    const now = clock.now();
    const findReference = (symbol: AssetSymbol): ReferenceAnswer => {
      const price = lastPrices.get(symbol);
      const isUsable =
        symbol in freshPrices || (price !== undefined && now - price.publishedAt <= REFERENCE_MAX_AGE_MS);
      return price && isUsable
        ? { kind: "answered", price }
        : { kind: "silent", lastPublishedAt: price?.publishedAt ?? null };
    };
    const state = currentState === "silent" && findReference("SOL").kind === "answered" ? lastState : currentState;
    if (state !== lastState) notify(STATE_NOTICES[state]);
    lastState = state;
    return { findReference, state };
  };
}

async function readSource(hermes: Pick<Hermes, "readPrices">) {
  try {
    return { freshPrices: await hermes.readPrices(), currentState: "answers" as const };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isKeyRefused = error.details.cause instanceof KeyRefusedFault;
    return { freshPrices: {}, currentState: isKeyRefused ? ("unauthorised" as const) : ("silent" as const) };
  }
}
