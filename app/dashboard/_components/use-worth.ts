"use client";

import { useHistory } from "@/app/_client/queries/history";
import type { Portfolio } from "@/app/_client/queries/queries";
import { toCents } from "@/lib/domain/money";
import { addDeposits, sumHistory } from "./activity-sums";

/**
 * Returns the worth of the savings with their refundable deposits, and the displayed deposits, USD. It is the total
 * that the overview shows.
 */
export function useWorth(portfolio: Portfolio | undefined, address: string) {
  const { data: history } = useHistory(address);
  const { totalUsd = null, solPriceUsd = null } = portfolio ?? {};
  if (totalUsd === null || solPriceUsd === null || !history) return { worthUsd: totalUsd, depositsUsd: 0 };
  const worthUsd = addDeposits(totalUsd, sumHistory(history.items), solPriceUsd);
  return { worthUsd, depositsUsd: toCents(toCents(worthUsd) - toCents(totalUsd)) };
}
