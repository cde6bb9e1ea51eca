"use client";

import { useGuards } from "@/app/_client/local-storage/guards";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { computeReadiness, type Readiness } from "./investable";

/** Returns how far the savings are from the person's investment threshold, or null while that is unknown. */
export function useReadiness(): Readiness | null {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { data } = usePortfolio(serviceWallet);
  return data ? computeReadiness(data, thresholdUsd) : null;
}
