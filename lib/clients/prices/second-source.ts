import type { AssetSymbol } from "../../domain/assets";
import { REFERENCE_MAX_AGE_MS, type ReferenceAnswer, type ReferencePrice } from "../../domain/prices/price-check";
import type { SecondSourceStatus } from "../../domain/prices/prices";
import { AppError, KeyRefusedFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Hermes } from "./hermes";

interface SecondSourceOptions {
  /** Absent: there is no second source. */
  hermes?: Hermes;
  clock: Clock;
  /** Called when the source stops answering or refuses the key, and when it answers again. */
  notify: (text: string) => void;
}

/** The second source's prices, for comparison. */
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
 * Returns a function that reads the second source. The function reports a failed read as "silent" and does not throw.
 * It keeps the last state while SOL's last price is at most REFERENCE_MAX_AGE_MS old: one lost answer is not silence.
 */
export function createSecondSource({ hermes, clock, notify }: SecondSourceOptions): () => Promise<ReferencePrices> {
  const lastPrices = new Map<string, ReferencePrice>();
  let lastState: NonNullable<SecondSourceStatus> = "answers";

  return async () => {
    if (!hermes) return { findReference: () => ({ kind: "none" }), state: null };
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

async function readSource(hermes: Hermes) {
  try {
    return { freshPrices: await hermes.readPrices(), currentState: "answers" as const };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isKeyRefused = error.details.cause instanceof KeyRefusedFault;
    return { freshPrices: {}, currentState: isKeyRefused ? ("unauthorised" as const) : ("silent" as const) };
  }
}
