"use client";

import { useSyncExternalStore } from "react";
import { tabStore } from "@/app/_client/local-storage/browser-storage";
import { createObservable } from "@/lib/sdk/observable";

/** Stores the wallet for which auto-invest was turned on in this tab. Unlike the service key, it survives a reload. */
const STORAGE_KEY = "roundup-auto-invest";

const changeSignal = createObservable(null);

/** Turns auto-invest on for a wallet in this tab, and clears its report. Null turns auto-invest off. */
export function setAutoInvest(wallet: string | null): void {
  if (wallet === null) tabStore.store(STORAGE_KEY, null);
  else {
    tabStore.keep(STORAGE_KEY, wallet);
    reportAutoInvest(wallet, EMPTY_REPORT);
  }
  changeSignal.set(null);
}

interface AutoInvestReport {
  /** Why auto-invest turned itself off; null if it did not, or after the person closed the notice. */
  stopReason: string | null;
  /** Why the service built no investment, and the `asOf` of the portfolio that it refused to invest. */
  refusal: { reason: string; asOf: string | undefined } | null;
}

const EMPTY_REPORT: AutoInvestReport = { stopReason: null, refusal: null };

/** The newest report. It outlives the notice, which some pages do not show. */
const newestReport = createObservable({ ...EMPTY_REPORT, wallet: "" });

const selectReport = (wallet: string): AutoInvestReport => {
  const report = newestReport.get();
  return report.wallet === wallet ? report : EMPTY_REPORT;
};

export const reportAutoInvest = (wallet: string, changedFields: Partial<AutoInvestReport>): void =>
  newestReport.set({ ...selectReport(wallet), ...changedFields, wallet });

export const useAutoInvestReport = (wallet: string): AutoInvestReport =>
  useSyncExternalStore(
    newestReport.subscribe,
    () => selectReport(wallet),
    () => EMPTY_REPORT,
  );

/** Returns whether the person turned auto-invest on in this tab. To run, it also needs the service key. */
export const useIsAutoInvestOn = (wallet: string): boolean =>
  useSyncExternalStore(
    changeSignal.subscribe,
    () => tabStore.get(STORAGE_KEY) === wallet,
    () => false,
  );
