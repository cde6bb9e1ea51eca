"use client";

import type { RefObject } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { usdText } from "@/app/_components/money";
import { readiness } from "@/app/dashboard/_components/investable";
import { TopUpChoice } from "../../_saving/topup/top-up-choice";
import { useTopup } from "../../_saving/topup/use-topup";
import { TopUpSheet } from "../../_saving/wrap/sheets";

/** Adds a typed amount once, the quickest way to reach the investment threshold. */
export function AddAmount({ finalFocus }: { finalFocus: RefObject<HTMLElement | null> }) {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { data } = usePortfolio(serviceWallet);
  const topup = useTopup();
  const missingUsd = (data && readiness(data, thresholdUsd)?.missingUsd) ?? 0;
  return (
    <Card title="Add an amount">
      {missingUsd > 0 && <p className="mb-3 text-sm text-soft">{usdText(missingUsd)} more and you can invest.</p>}
      {/* What is missing is only known once it is read: then the amount that suffices is chosen anew. */}
      <TopUpChoice key={String(data !== undefined)} topup={topup} missingUsd={missingUsd} variant="secondary" />
      <TopUpSheet
        topup={topup}
        finalFocus={finalFocus}
        next={<ButtonLink href="/dashboard/invest">Go on to invest</ButtonLink>}
      />
    </Card>
  );
}
