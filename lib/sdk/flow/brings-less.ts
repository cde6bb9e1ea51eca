/** Returns whether an amount fell by more than 0.1 %. A smaller loss does not ask the person to review again. */
const isLess = (now: bigint, before: bigint) => now * 1_000n < before * 999n;

/** A swap with its quote, in base units. */
interface QuotedAmounts {
  asset: string;
  inputLamports?: number;
  inputAmount?: string;
  quote: { minimumOutputAmount: string };
}

const getInput = ({ inputLamports, inputAmount }: QuotedAmounts) => BigInt(inputAmount ?? inputLamports ?? 0);

/**
 * Returns whether a swap returns less than the earlier swap of the same asset, in total or per unit of input. The input
 * may have grown since.
 */
export function hasOutputFallenBelow(now: QuotedAmounts[], before: QuotedAmounts[]): boolean {
  return now.some((swap) => {
    const seen = before.find(({ asset }) => asset === swap.asset);
    if (!seen) return false;
    const [least, leastBefore] = [swap, seen].map(({ quote }) => BigInt(quote.minimumOutputAmount)) as [bigint, bigint];
    return isLess(least, leastBefore) || isLess(least * getInput(seen), leastBefore * getInput(swap));
  });
}
