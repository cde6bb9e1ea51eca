/** Whether a minimum, base units, came down by more than a thousandth: under that nobody is asked to look once more. */
function isLess(now: string, before: string): boolean {
  return BigInt(now) * 1_000n < BigInt(before) * 999n;
}

type Quoted = { asset: string; quote: { minimumOutputAmount: string } }[];

/** Whether any of these swaps brings less than the same one did before. */
export function bringsLess(now: Quoted, before: Quoted): boolean {
  return now.some(({ asset, quote }) => {
    const seen = before.find((one) => one.asset === asset);
    return seen !== undefined && isLess(quote.minimumOutputAmount, seen.quote.minimumOutputAmount);
  });
}
