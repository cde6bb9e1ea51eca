import type { DataOf } from "../../../contracts/define";
import type { getHealthContract } from "../../../contracts/get-health";
import type { AccountState } from "../../../domain/holdings";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";

type Report = NonNullable<DataOf<typeof getHealthContract>["report"]>;

/** Fresh readings of the upstreams; null for an upstream that did not answer. */
export interface HealthReadings {
  prices: Prices | null;
  /** In the collectors' order. */
  collectors: (AccountState | null)[] | null;
}

/**
 * Builds the operator's health report. Contains no upstream URLs and no upstream error texts, because both may hold
 * keys.
 */
export function buildHealthReport(
  { upstreams, feeCollectors, clock }: Deps,
  { prices, collectors }: HealthReadings,
): Report {
  const now = clock.now();
  const toAgeMs = (at: number | null | undefined) => (at == null ? null : Math.max(0, Math.round(now - at)));
  return {
    upstreams: upstreams().map(({ name, state, lagSlots, answeredAt, lastFault }) => {
      return { name, state, lagSlots, lastAnswerAgeMs: toAgeMs(answeredAt), lastError: lastFault };
    }),
    collectors: feeCollectors.map((address, i) => ({
      address,
      balanceLamports: collectors && Number(collectors[i]?.lamports ?? 0n),
    })),
    priceAgeMs: toAgeMs(prices?.fetchedAt),
  };
}
