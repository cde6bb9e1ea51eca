"use client";

import { useTerms } from "@/app/_client/local-storage/terms";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import type { PayAsset } from "@/lib/domain/assets";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { PayTerms } from "@/lib/sdk/requests";
import { useAllowance } from "../allowance/use-allowance";
import { LOW_SOL_LAMPORTS } from "./sol-offer";
import { readUsdcUnits } from "./usdc-balance";

interface PayChoice {
  /** What the main wallet saves from. Until the person chooses, USDC if the wallet holds more of it than of SOL. */
  payWith: PayAsset;
  /** Whether there is a choice: the wallet holds USDC, or the person has chosen it. */
  isOffered: boolean;
  choose(payWith: PayAsset): void;
  /** Whether the main wallet holds little SOL for network fees and deposits. False while unknown. */
  isLowOnSol: boolean;
  /** USDC that the allowance has left. 0 while unknown, and while SOL pays. */
  allowanceUsd: number;
  /** Returns whether a saving of this amount, USD, would ask the wallet for no signature, not even for the savings key. */
  isUnsigned(amountUsd: number): boolean;
  /**
   * Returns the terms of a payment that starts now. It goes by allowance only if the reading on the screen suffices:
   * until then, buttons offer a review. Waits for the first reading of the balances.
   * @param amountUsd what leaves the wallet
   * @param payWith what the payment must take, if it is not the person's choice
   */
  decide(amountUsd: number, payWith?: PayAsset): Promise<PayTerms>;
}

const suggestPayAsset = (portfolio: Portfolio | undefined): PayAsset =>
  portfolio && portfolio.pendingUsd !== null && computeUsdcUsd(portfolio) > portfolio.pendingUsd ? "USDC" : "SOL";

/** Returns what the main wallet saves from, kept per wallet in this browser. */
export function usePayWith(): PayChoice {
  const { wallet, hasServiceKey } = useReadySession();
  const [{ payWith: chosenAsset }, changeTerms] = useTerms(wallet);
  const { data, error, mutate } = usePortfolio(wallet);
  const payWith = chosenAsset ?? suggestPayAsset(data);
  const allowance = useAllowance(payWith === "USDC");
  const allowanceUsd = allowance.data?.remainingUsd ?? 0;
  const isAllowed = (amountUsd: number) => amountUsd > 0 && amountUsd <= allowanceUsd;
  return {
    payWith,
    isOffered: payWith === "USDC" || (data !== undefined && readUsdcUnits(data) > 0n),
    isLowOnSol: data !== undefined && data.pendingLamports < LOW_SOL_LAMPORTS,
    allowanceUsd,
    isUnsigned: (amountUsd) => hasServiceKey && isAllowed(amountUsd),
    choose: (asset) => changeTerms({ payWith: asset }),
    async decide(amountUsd, requiredAsset) {
      const isKnown = chosenAsset !== null || data !== undefined || error !== undefined;
      const asset = requiredAsset ?? (isKnown ? payWith : suggestPayAsset(await mutate().catch(() => undefined)));
      return asset === "SOL" ? {} : { payWith: asset, ...(isAllowed(amountUsd) && { by: "allowance" as const }) };
    },
  };
}
