import type { WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

/** What several transactions send, added up by mint; SOL last, as it is sent last. */
export function arrivalsOf(sent: WithdrawnAsset[]): WithdrawnAsset[] {
  const sums = new Map<string, WithdrawnAsset>();
  for (const one of sent) {
    const key = one.symbol === "SOL" ? "SOL" : one.mint;
    const before = BigInt(sums.get(key)?.amount ?? 0);
    sums.set(key, { ...one, amount: (before + BigInt(one.amount)).toString() });
  }
  return [...sums.values()].sort((a, b) => Number(a.symbol === "SOL") - Number(b.symbol === "SOL"));
}
