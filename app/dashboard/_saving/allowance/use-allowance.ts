"use client";

import { useQuery } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import type { getAllowanceContract } from "@/lib/contracts/get-allowance";

export function useAllowance(shouldRead = true) {
  const { wallet, serviceWallet } = useReadySession();
  return useQuery<typeof getAllowanceContract>(
    shouldRead ? `/api/allowance/${wallet}?serviceWallet=${serviceWallet}` : null,
    60_000,
  );
}
