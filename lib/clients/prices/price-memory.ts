import type { AssetSymbol } from "../../domain/assets";
import type { PriceMemory } from "../../domain/prices/price-check";
import { AppError } from "../../errors";
import type { KvStore } from "../../ports/kv-store";

/** What price checks remember from one reading to the next, by asset. */
export type PricesMemory = Partial<Record<AssetSymbol, PriceMemory>>;

const KEY = "price-memory";

/**
 * Keeps the memory in the store, so that instances share it and it survives a restart. While the store does not
 * answer, the value that this process last read or wrote is used.
 */
export function createPriceMemory(kv: Pick<KvStore, "get" | "set">) {
  let known: PricesMemory | null = null;
  const unlessFailing = (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  };
  return {
    /** Returns null when the memory is unknown, because the store has not answered this process yet. */
    async read(): Promise<PricesMemory | null> {
      const stored = await kv.get<PricesMemory>(KEY).catch(unlessFailing);
      if (stored !== undefined) known = stored ?? known ?? {};
      return known;
    },
    async write(memory: PricesMemory): Promise<void> {
      known = memory;
      await kv.set(KEY, memory).catch(unlessFailing);
    },
  };
}
