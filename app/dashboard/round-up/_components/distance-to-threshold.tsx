"use client";

import { formatMissing } from "@/app/dashboard/_components/investable";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { ceilToCents } from "@/lib/domain/money";

/**
 * Shows how much closer this save brings the investment threshold. Renders nothing without a price, or when
 * nothing is missing.
 */
export function DistanceToThreshold({ addUsd }: { addUsd: number }) {
  const readiness = useReadiness();
  if (readiness === null || readiness.missingUsd <= 0 || addUsd <= 0) return null;
  const missingUsd = readiness.missingUsd > addUsd ? ceilToCents(readiness.missingUsd - addUsd) : 0;
  return (
    <p className="text-sm text-soft">
      {missingUsd > 0 ? `With this, ${formatMissing(missingUsd)}.` : "With this you have enough to invest."}
    </p>
  );
}
