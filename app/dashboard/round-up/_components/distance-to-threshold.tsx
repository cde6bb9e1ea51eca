"use client";

import { useGuards } from "@/app/_client/local-storage/guards";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { usdText } from "@/app/_components/money";
import { readiness } from "@/app/dashboard/_components/investable";
import { ceilToCents } from "@/lib/domain/money";

/** Shows how much closer this save brings the investment threshold. Renders nothing while that is unknown. */
export function DistanceToThreshold({ addUsd }: { addUsd: number }) {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { data } = usePortfolio(serviceWallet);
  const now = data ? readiness(data, thresholdUsd) : null;
  if (now === null || now.missingUsd <= 0 || addUsd <= 0) return null;
  const missingUsd = now.missingUsd > addUsd ? ceilToCents(now.missingUsd - addUsd) : 0;
  return (
    <p className="text-sm text-soft">
      {missingUsd > 0
        ? `With this, ${usdText(missingUsd)} more and you can invest.`
        : "With this you have enough to invest."}
    </p>
  );
}
