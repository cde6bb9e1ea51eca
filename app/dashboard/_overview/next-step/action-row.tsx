"use client";

import { useEffect, useId, useState } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { ButtonLink, SecondaryButton } from "@/app/_components/button";
import { listSellableAssets } from "@/app/dashboard/_components/part";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";

/** Offers to add money, and to sell and withdraw if the wallet holds something. */
export function ActionRow({ portfolio, topup }: { portfolio: Portfolio | undefined; topup: Topup }) {
  const [isAdding, setIsAdding] = useState(false);
  const id = useId();
  useEffect(() => {
    if (topup.state.phase === "done") setIsAdding(false);
  }, [topup.state.phase]);
  const isChoiceOpen = isAdding || topup.unfinishedRecord !== null;
  const { missingUsd = 0, missingUsdcUsd = 0, lacksOnlyCosts = false } = useReadiness() ?? {};
  const canSell = portfolio && listSellableAssets(portfolio).length > 0;
  const canWithdraw = !portfolio || portfolio.balances.length > 0;
  return (
    <div className="mt-3">
      <div className="grid auto-cols-fr grid-flow-col gap-2">
        <SecondaryButton
          aria-expanded={isChoiceOpen}
          aria-controls={id}
          onClick={() => setIsAdding(!isAdding)}
          className="whitespace-nowrap max-sm:px-2"
        >
          Add money
        </SecondaryButton>
        {canSell && (
          <ButtonLink href="/dashboard/invest?sell" variant="secondary">
            Sell
          </ButtonLink>
        )}
        {canWithdraw && (
          <ButtonLink href="/dashboard/withdraw" variant="secondary">
            Withdraw
          </ButtonLink>
        )}
      </div>
      <div id={id} className="not-empty:mt-3">
        {isChoiceOpen && (
          <TopupChoice
            topup={topup}
            missingUsd={missingUsdcUsd || missingUsd}
            needsSol={lacksOnlyCosts}
            variant="secondary"
          />
        )}
      </div>
    </div>
  );
}
