"use client";

import { useMemo } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { type InvestChoice, listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import type { PayAsset } from "@/lib/domain/assets";
import { computeUsdcUsd, suggestPayWith } from "@/lib/sdk/pay-with";
import { applyInvestChoice, computeReadiness, type Readiness } from "./readiness";

/** Returns what the invest page spends: what the person chose, otherwise a suggestion, which the review shows. */
export const choosePayWith = (portfolio: Portfolio, choice: InvestChoice, thresholdUsd: number): PayAsset =>
  choice.payWith ?? suggestPayWith(computeUsdcUsd(portfolio), listAllocations(choice), thresholdUsd);

/** Returns what the invest page spends. Undefined while the portfolio loads. */
export function useSuggestedPayWith(): PayAsset | undefined {
  const { wallet, serviceWallet } = useReadySession();
  const { data } = usePortfolio(serviceWallet);
  const choice = useInvestChoice(wallet);
  const [{ thresholdUsd }] = useGuards(wallet);
  return data && choosePayWith(data, choice, thresholdUsd);
}

/** Returns the savings wallet's portfolio, with the amount that the person's choice of coins would invest. */
export const useChosenPortfolio = (payWith?: PayAsset) =>
  useAppliedChoice(usePortfolio(useReadySession().serviceWallet).data, payWith);

/**
 * Adjusts the savings wallet's portfolio to the coins that the person has chosen.
 * @param payWith default: USDC only if the person has chosen it, because the person may hold USDC on purpose
 */
export function useAppliedChoice(portfolio: Portfolio | undefined, payWith?: PayAsset) {
  const choice = useInvestChoice(useReadySession().wallet);
  return useMemo(
    () => portfolio && applyInvestChoice(portfolio, listAllocations(choice), payWith ?? choice.payWith ?? "SOL"),
    [portfolio, choice, payWith],
  );
}

/** Returns how far the savings are from the person's investment threshold, or null while that is unknown. */
export function useReadiness(payWith?: PayAsset): Readiness | null {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const data = useChosenPortfolio(payWith);
  return data ? computeReadiness(data, thresholdUsd) : null;
}
