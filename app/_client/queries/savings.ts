"use client";

import { useRef } from "react";
import { type Portfolio, toHistoryKey, toPortfolioPath, useIsOutdated, usePortfolio } from "./queries";
import { useHistoryRead, type WalletHistory } from "./wallet-history";

/** Undefined while unknown. */
interface SavingsReading {
  portfolio: Portfolio | undefined;
  history: WalletHistory | undefined;
}

/** Keeps the former reading until both parts are new: a deposit that only the history has would look like a loss. */
function chooseReading(
  formerReading: SavingsReading | undefined,
  newReading: SavingsReading,
  isUpdating: boolean,
): SavingsReading {
  if (!isUpdating) return newReading;
  const isComplete = formerReading?.portfolio && formerReading.history;
  return isComplete ? formerReading : { ...newReading, history: undefined };
}

/** Reads the balances and the history, which are shown together. `isUpdating` while they are older than a landing. */
export function useSavings(address: string) {
  const portfolioRead = usePortfolio(address);
  const historyRead = useHistoryRead(address);
  const isPortfolioOutdated = useIsOutdated(toPortfolioPath(address));
  const isHistoryOutdated = useIsOutdated(toHistoryKey(address));
  // An unreadable history does not hide the new balances. What needs the history says that it failed.
  const isHistoryUnreadable = isHistoryOutdated && historyRead.error !== undefined;
  const isUpdating = isPortfolioOutdated || (isHistoryOutdated && !isHistoryUnreadable);
  const newReading = {
    portfolio: portfolioRead.data,
    history: isHistoryUnreadable ? undefined : historyRead.data,
  };
  const shownReadingRef = useRef<SavingsReading>(undefined);
  shownReadingRef.current = chooseReading(shownReadingRef.current, newReading, isUpdating);
  const { portfolio, history } = shownReadingRef.current;
  return {
    portfolio: { data: portfolio, error: portfolioRead.error, mutate: portfolioRead.mutate },
    history: { data: history, error: historyRead.error, mutate: historyRead.mutate },
    isUpdating: isUpdating && !portfolioRead.error,
  };
}

/** Returns the history that belongs to the shown balances. */
export const useHistory = (address: string) => useSavings(address).history;
