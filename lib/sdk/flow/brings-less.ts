/** Whether something came down by more than a thousandth: under that nobody is asked to look once more. */
const isLess = (now: bigint, before: bigint) => now * 1_000n < before * 999n;

/** Base units. */
interface QuotedAmounts {
  asset: string;
  inputLamports?: number;
  inputAmount?: string;
  quote: { minimumOutputAmount: string };
}

const inputOf = ({ inputLamports, inputAmount }: QuotedAmounts) => BigInt(inputAmount ?? inputLamports ?? 0);

/** Whether any of these swaps brings less than the same one did before, or less for what goes in: more may go in by now. */
export function outputFellBelow(now: QuotedAmounts[], before: QuotedAmounts[]): boolean {
  return now.some((one) => {
    const seen = before.find(({ asset }) => asset === one.asset);
    if (!seen) return false;
    const [least, leastBefore] = [one, seen].map(({ quote }) => BigInt(quote.minimumOutputAmount)) as [bigint, bigint];
    return isLess(least, leastBefore) || isLess(least * inputOf(seen), leastBefore * inputOf(one));
  });
}
