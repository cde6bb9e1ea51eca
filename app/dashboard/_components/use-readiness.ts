"use client";

import { useMemo } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { applyInvestChoice, computeReadiness, type Readiness } from "./readiness";

/** Returns the savings wallet's portfolio, with the amount that the person's choice of coins would invest. */
export const useChosenPortfolio = () => useAppliedChoice(usePortfolio(useReadySession().serviceWallet).data);

/** Adjusts the savings wallet's portfolio to the coins that the person has chosen. */
export function useAppliedChoice(portfolio: Portfolio | undefined) {
  const choice = useInvestChoice(useReadySession().wallet);
  return useMemo(() => portfolio && applyInvestChoice(portfolio, listAllocations(choice)), [portfolio, choice]);
}

/** Returns how far the savings are from the person's investment threshold, or null while that is unknown. */
export function useReadiness(): Readiness | null {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const data = useChosenPortfolio();
  return data ? computeReadiness(data, thresholdUsd) : null;
}
