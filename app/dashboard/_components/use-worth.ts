"use client";

import type { Portfolio } from "@/app/_client/queries/queries";
import { useHistory } from "@/app/_client/queries/savings";
import { roundSavings, sumHistory } from "./activity-sums";

export function useWorth(portfolio: Portfolio | undefined, address: string) {
  const { data: history } = useHistory(address);
  const sums = history && sumHistory(history.items);
  return portfolio ? roundSavings(portfolio, sums) : { worthUsd: null, depositsUsd: 0, valuesUsd: [] };
}
