"use client";

import { formatMissing } from "@/app/dashboard/_components/investable";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { ceilToCents } from "@/lib/domain/money";

/** Shows how much closer this save brings the investment threshold. Renders nothing while that is unknown. */
export function DistanceToThreshold({ addUsd }: { addUsd: number }) {
  const now = useReadiness();
  if (now === null || now.missingUsd <= 0 || addUsd <= 0) return null;
  const missingUsd = now.missingUsd > addUsd ? ceilToCents(now.missingUsd - addUsd) : 0;
  return (
    <p className="text-sm text-soft">
      {missingUsd > 0 ? `With this, ${formatMissing(missingUsd)}.` : "With this you have enough to invest."}
    </p>
  );
}
