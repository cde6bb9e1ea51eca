import { formatUsd } from "@/app/_components/money";
import { toShownUsd } from "@/app/dashboard/_components/activity-sums";
import { formatTitle } from "@/app/dashboard/_components/activity-words";
import { roundToMicro } from "@/lib/domain/money";
import { getTime, type ValueFacts } from "./value-series";

/**
 * Describes the transactions of a period that moved savings, oldest first. Transactions with one title share a text:
 * "Saved change, 3 times: $1.35". A sum with an unknown value is left out.
 * @param after ms since the epoch; a transaction of exactly this time is not included
 * @param until ms since the epoch; a transaction of exactly this time is included
 */
export function describeEvents(
  { items, now }: Pick<ValueFacts, "items" | "now">,
  after: number,
  until: number,
): string[] {
  const valuesByTitle = new Map<string, (number | null)[]>();
  for (const item of [...items].reverse()) {
    const time = getTime(item, now);
    if (time <= after || time > until || item.status === "failed" || item.type === "other") continue;
    const title = formatTitle(item, "service");
    valuesByTitle.set(title, [...(valuesByTitle.get(title) ?? []), toShownUsd(item)]);
  }
  return [...valuesByTitle].map(([title, valuesUsd]) => {
    const countText = valuesUsd.length > 1 ? `, ${valuesUsd.length} times` : "";
    const knownUsd = valuesUsd.filter((usd) => usd !== null);
    const isKnown = knownUsd.length === valuesUsd.length;
    return `${title}${countText}${isKnown ? `: ${formatUsd(roundToMicro(knownUsd.reduce((sum, usd) => sum + usd, 0)))}` : ""}`;
  });
}
