"use client";

import { useTerms } from "@/app/_client/local-storage/terms";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import type { PayAsset } from "@/lib/domain/assets";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { PayTerms } from "@/lib/sdk/requests";
import { useAllowance } from "../allowance/use-allowance";
import { readUsdcUnits } from "./usdc-balance";

interface PayChoice {
  /** What the main wallet saves from. Until the person chooses, USDC if the wallet holds more of it than of SOL. */
  payWith: PayAsset;
  /** Whether there is a choice: the wallet holds USDC, or the person has chosen it. */
  isOffered: boolean;
  choose(payWith: PayAsset): void;
  /** USDC that the allowance has left. 0 while unknown, and while SOL pays. */
  allowanceUsd: number;
  /** Returns whether the allowance suffices for an amount, USD. */
  isAllowed(amountUsd: number): boolean;
  /**
   * Returns the terms of a payment that starts now: by allowance if it suffices. Waits for the first readings.
   * @param amountUsd what leaves the wallet
   */
  decide(amountUsd: number): Promise<PayTerms>;
}

const suggestPayAsset = (portfolio: Portfolio | undefined): PayAsset =>
  portfolio && portfolio.pendingUsd !== null && computeUsdcUsd(portfolio) > portfolio.pendingUsd ? "USDC" : "SOL";

/** Returns what the main wallet saves from, kept per wallet in this browser. */
export function usePayWith(): PayChoice {
  const { wallet } = useReadySession();
  const [{ payWith: chosenAsset }, changeTerms] = useTerms(wallet);
  const { data, error, mutate } = usePortfolio(wallet);
  const payWith = chosenAsset ?? suggestPayAsset(data);
  const allowance = useAllowance(payWith === "USDC");
  const allowanceUsd = allowance.data?.remainingUsd ?? 0;
  return {
    payWith,
    isOffered: payWith === "USDC" || (data !== undefined && readUsdcUnits(data) > 0n),
    allowanceUsd,
    isAllowed: (amountUsd) => amountUsd > 0 && amountUsd <= allowanceUsd,
    choose: (asset) => changeTerms({ payWith: asset }),
    async decide(amountUsd) {
      const isKnown = chosenAsset !== null || data !== undefined || error !== undefined;
      const asset = isKnown ? payWith : suggestPayAsset(await mutate().catch(() => undefined));
      if (asset === "SOL") return {};
      const { remainingUsd = 0 } = (allowance.data ?? (await allowance.mutate().catch(() => undefined))) || {};
      return { payWith: asset, ...(remainingUsd >= amountUsd && { by: "allowance" as const }) };
    },
  };
}
