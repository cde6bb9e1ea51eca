"use client";

import { useGuards } from "@/app/_client/kept/guards";
import { usePortfolio } from "@/app/_client/reads/reads";
import { useReadySession } from "@/app/_client/wallet/session";
import { Usd } from "@/app/_components/money";

/** How near this saving brings the day of investing; nothing while that is not known. */
export function ToThreshold({ addUsd }: { addUsd: number }) {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const pendingUsd = usePortfolio(serviceWallet).data?.pendingUsd ?? null;
  if (pendingUsd === null || addUsd <= 0) return null;
  const thenUsd = pendingUsd + addUsd;
  if (thenUsd >= thresholdUsd) {
    return (
      <p className="text-sm text-soft">
        With this you have <Usd value={thenUsd} />: enough to invest.
      </p>
    );
  }
  return (
    <p className="text-sm text-soft">
      With this you have <Usd value={thenUsd} /> of the <Usd value={thresholdUsd} /> that investing starts from. A
      larger plan or many purchases at once get you there sooner.
    </p>
  );
}
