import { toMicroUsd } from "../../domain/money";
import { AppError } from "../../errors";
import type { Deps, Prices } from "../../ports";

/** Older prices are shown as stale. Source: the interface's 30 s price cache. */
export const FRESH_MS = 30_000;
/** Older prices build nothing. */
const BUILDABLE_MS = 60_000;

/** Prices good enough to build transactions with. @throws AppError price_stale when they are older than a minute or two sources disagree */
export async function pricesForBuilding({ prices, clock }: Deps): Promise<Prices> {
  const current = await prices.current();
  if (!current.agreed || clock.now() - current.fetchedAt > BUILDABLE_MS) {
    throw new AppError("price_stale", { retryAfterSeconds: 10 });
  }
  return current;
}

/** Prices to show, or null when there are none: an answer that can do without them does. */
export async function pricesIfAny({ prices }: Deps): Promise<Prices | null> {
  try {
    return await prices.current();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Micro-dollars per SOL: every figure of an answer is computed from this same integer. */
export function solPriceMicroUsd(prices: Prices): bigint {
  return toMicroUsd(prices.usd.SOL);
}
