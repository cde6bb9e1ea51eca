"use client";

import { type ReactNode, type RefObject, useRef } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { toUsdcUsd } from "@/app/dashboard/_components/activity-sums";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { addLamports, computeReadiness, formatShortage, type Readiness } from "@/app/dashboard/_components/readiness";
import { useChosenPortfolio } from "@/app/dashboard/_components/use-readiness";
import { FlowResult, toReceipts } from "@/app/dashboard/_flow/result";
import { SavedNote, sumSavings } from "../wrap/save-breakdown";
import type { Topup } from "../wrap/use-saving";
import { WrapSheet } from "../wrap/wrap-sheet";

const WORDS = {
  runningTitle: "Adding",
  doneTitle: "Added",
  confirmLabel: "Sign and add",
  failedTitle: "Nothing was added",
};

const FEE_BASE = "the amount";

/** Returns the readiness once the top-up has arrived, before a new reading; null while unknown. */
function useReadinessAfterTopup({ state }: Topup): Readiness | null {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const portfolio = useChosenPortfolio();
  const portfolioBeforeRef = useRef(portfolio);
  if (state.phase !== "running" && state.phase !== "done") portfolioBeforeRef.current = portfolio;
  const { arrivedLamports, arrivedUnits } = sumSavings(state.record?.done.map(({ about }) => about) ?? []);
  if (!portfolioBeforeRef.current) return null;
  const { usdcUsd } = portfolioBeforeRef.current;
  const newPortfolio = {
    ...addLamports(portfolioBeforeRef.current, arrivedLamports),
    ...(usdcUsd !== undefined && { usdcUsd: usdcUsd + toUsdcUsd(arrivedUnits) }),
  };
  return computeReadiness(newPortfolio, thresholdUsd);
}

interface Props {
  topup: Topup;
  finalFocus: RefObject<HTMLElement | null>;
  /** The next action. Defaults to investing. */
  nextAction?: ReactNode;
  /** True when the next action needs the investment threshold. Below it, the sheet says what is missing instead. */
  isForInvesting?: boolean;
  /** Called when a person closes the sheet of a landed top-up instead of taking the next action. */
  onLeave?: () => void;
}

const InvestNow = () => <ButtonLink href="/dashboard/invest?now">Invest now</ButtonLink>;

export function TopupSheet({ topup, finalFocus, nextAction = <InvestNow />, isForInvesting, onLeave }: Props) {
  const { flow, state } = topup;
  const landedParts = state.record?.done ?? [];
  const readiness = useReadinessAfterTopup(topup);
  const isBelowThreshold = isForInvesting && readiness?.isReady === false;
  const close = () => {
    flow.close();
    if (state.phase === "done") onLeave?.();
  };
  return (
    <WrapSheet
      {...topup}
      flow={{ ...flow, close }}
      words={WORDS}
      finalFocus={finalFocus}
      feeBase={FEE_BASE}
      doneContent={
        <FlowResult
          receipts={toReceipts(EVENT_NAMES.topup, landedParts)}
          onClose={close}
          nextAction={!isBelowThreshold && nextAction}
        >
          <SavedNote records={landedParts.map(({ about }) => about)} by={state.record?.request.by} feeBase={FEE_BASE}>
            {isBelowThreshold && <p>{formatShortage(readiness)}.</p>}
          </SavedNote>
        </FlowResult>
      }
    />
  );
}
