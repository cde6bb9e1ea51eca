"use client";

import { formatMissing } from "@/app/dashboard/_components/readiness";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { roundToMicro } from "@/lib/domain/money";

/**
 * Says how much is missing to the investment threshold after a save of `addedUsd`. Renders nothing without a price or a
 * save, or when nothing is missing.
 */
export function DistanceToThreshold({ addedUsd }: { addedUsd: number }) {
  const readiness = useReadiness();
  if (readiness === null || readiness.missingUsd <= 0 || addedUsd <= 0) return null;
  const missingUsd = Math.max(0, roundToMicro(readiness.missingUsd - addedUsd));
  return (
    <p className="text-sm text-soft">
      {missingUsd > 0 ? `With this, ${formatMissing(missingUsd)}.` : "With this you have enough to invest."}
    </p>
  );
}
