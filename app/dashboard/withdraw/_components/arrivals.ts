import type { WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

/** Adds up the amounts sent by several transactions, by mint. SOL comes last, because it is sent last. */
export function sumArrivals(sent: WithdrawnAsset[]): WithdrawnAsset[] {
  const sums = new Map<string, WithdrawnAsset>();
  for (const one of sent) {
    const key = one.symbol === "SOL" ? "SOL" : one.mint;
    const before = BigInt(sums.get(key)?.amount ?? 0);
    sums.set(key, { ...one, amount: (before + BigInt(one.amount)).toString() });
  }
  return [...sums.values()].sort((a, b) => Number(a.symbol === "SOL") - Number(b.symbol === "SOL"));
}
