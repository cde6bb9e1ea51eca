import type { AssetSymbol } from "../../domain/assets";
import { REFERENCE_MAX_AGE_MS, type ReferenceAnswer, type ReferencePrice } from "../../domain/prices/price-check";
import type { SecondSourceStatus } from "../../domain/prices/prices";
import { AppError, KeyRefused } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Hermes } from "./hermes";

interface SecondSourceOptions {
  /** Absent: there is no second source. */
  hermes?: Hermes;
  clock: Clock;
  /** Called when the source stops answering or refuses the key, and when it answers again. */
  notice: (text: string) => void;
}

/** The second source's prices, for comparison. */
export interface References {
  findReference(symbol: AssetSymbol): ReferenceAnswer;
  state: SecondSourceStatus;
}

const NOTICES: Record<NonNullable<SecondSourceStatus>, string> = {
  answers: "the second price source answers again",
  silent: "the second price source is silent",
  unauthorised: "the second price source refuses HERMES_API_KEY",
};

/**
 * Returns a function that reads the second source. It reports a failed read as "silent" and does not throw. Recent
 * earlier prices still count, so one lost answer is not silence.
 */
export function createSecondSource({ hermes, clock, notice }: SecondSourceOptions): () => Promise<References> {
  const lastPrices = new Map<string, ReferencePrice>();
  let lastState: NonNullable<SecondSourceStatus> = "answers";

  return async () => {
    if (!hermes) return { findReference: () => ({ kind: "none" }), state: null };
    const { fresh, answer } = await readSource(hermes);
    for (const [symbol, price] of Object.entries(fresh)) lastPrices.set(symbol, price);
    const now = clock.now();
    const findReference = (symbol: AssetSymbol): ReferenceAnswer => {
      const price = lastPrices.get(symbol);
      const isUsable = symbol in fresh || (price !== undefined && now - price.publishedAt <= REFERENCE_MAX_AGE_MS);
      return price && isUsable
        ? { kind: "answered", price }
        : { kind: "silent", lastPublishedAt: price?.publishedAt ?? null };
    };
    const state = answer === "silent" && findReference("SOL").kind === "answered" ? lastState : answer;
    if (state !== lastState) notice(NOTICES[state]);
    lastState = state;
    return { findReference, state };
  };
}

interface SecondSourceAnswer {
  fresh: Awaited<ReturnType<Hermes["readPrices"]>>;
  answer: NonNullable<SecondSourceStatus>;
}

async function readSource(hermes: Hermes): Promise<SecondSourceAnswer> {
  try {
    return { fresh: await hermes.readPrices(), answer: "answers" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fresh: {}, answer: error.details.cause instanceof KeyRefused ? "unauthorised" : "silent" };
  }
}
