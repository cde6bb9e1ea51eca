"use client";

import { roundToMicro, solToLamports } from "@/lib/domain/money";
import { findMonthStart, LONGEST_MONTH_MS } from "@/lib/domain/time";
import { browserStore } from "./browser-storage";
import { parseFields, storeValue, useStoredObject, useStoredValue } from "./stored-value";

/** Limits on saving that a person sets for one wallet in this browser. null means no limit. */
export interface Guards {
  /** Limit for the change of one payment. */
  ceilingUsd: number | null;
  /** Limit for a calendar day, local time. */
  perDayUsd: number | null;
  /** Limit for a calendar month, local time. */
  perMonthUsd: number | null;
  /** Minimum balance of the main wallet, SOL. */
  floorSol: number | null;
  paused: boolean;
  /** Balance of the savings wallet from which the page offers to invest. */
  thresholdUsd: number;
}

export const DEFAULT_GUARDS: Guards = {
  ceilingUsd: null,
  perDayUsd: null,
  perMonthUsd: null,
  floorSol: null,
  paused: false,
  thresholdUsd: 5,
};

/** One saving that counts towards the limits: time (ms since the epoch), amount (USD) and transaction. */
interface SavedAmount {
  at: number;
  usd: number;
  txSignature?: string;
}

const toGuardsKey = (wallet: string) => `roundup-guards:${wallet}`;
const toSavedAmountsKey = (wallet: string) => `roundup-saved:${wallet}`;

/** Parses stored guards. An invalid field falls back to its default. `thresholdUsd` cannot be null. */
export function parseGuards(text: string | null): Guards {
  const isValidField = ([name, value]: [string, unknown]) =>
    name === "paused"
      ? typeof value === "boolean"
      : Number.isFinite(value) || (value === null && name !== "thresholdUsd");
  return { ...DEFAULT_GUARDS, ...Object.fromEntries(Object.entries(parseFields(text)).filter(isValidField)) };
}

export const useGuards = (wallet: string) => useStoredObject(toGuardsKey(wallet), parseGuards);

function readSavedAmounts(wallet: string): SavedAmount[] {
  const { list: savedAmounts } = parseFields(browserStore.get(toSavedAmountsKey(wallet)));
  return Array.isArray(savedAmounts)
    ? savedAmounts.filter((saved) => Number.isFinite(saved?.at) && Number.isFinite(saved.usd))
    : [];
}

/** Records an amount that counts towards the limits, once for all tabs that see it land. @returns whether it was new */
export function recordSavedAmount(wallet: string, usd: number, txSignature: string): boolean {
  const now = Date.now();
  const earlierAmounts = readSavedAmounts(wallet);
  if (earlierAmounts.some((saved) => saved.txSignature === txSignature)) return false;
  const countedAmounts = earlierAmounts.filter(({ at }) => now - at < LONGEST_MONTH_MS);
  storeValue(toSavedAmountsKey(wallet), { list: [...countedAmounts, { at: now, usd, txSignature }] });
  return true;
}

/** Returns the totals of `sumSavedAmounts`, and updates when any tab records a saved amount. */
export function useSavedTotals(wallet: string) {
  useStoredValue(toSavedAmountsKey(wallet));
  return sumSavedAmounts(wallet);
}

/** Returns the USD saved from this browser today and in this calendar month, in local time. */
export function sumSavedAmounts(wallet: string, now = new Date()): { dayUsd: number; monthUsd: number } {
  const dayStart = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const savedAmounts = readSavedAmounts(wallet);
  const sumSince = (start: number) =>
    roundToMicro(savedAmounts.reduce((total, { at, usd }) => total + (at >= start ? usd : 0), 0));
  return { dayUsd: sumSince(dayStart), monthUsd: sumSince(findMonthStart(now.getTime())) };
}

/** Returns why the guards block this saving, or null. @param outgoingSol SOL that leaves the main wallet */
export function findBlockingReason(
  guards: Guards,
  wallet: string,
  roundUpUsd: number,
  mainBalanceSol: number | null,
  outgoingSol: number,
): string | null {
  const { dayUsd, monthUsd } = sumSavedAmounts(wallet);
  // Compare in micro-dollars: a floating-point sum can exceed a limit that it exactly reaches.
  const isAbove = (usd: number, limitUsd: number | null) =>
    limitUsd !== null && roundToMicro(usd) > roundToMicro(limitUsd);
  if (guards.paused) return "Saving is paused. Resume saving to continue.";
  if (isAbove(roundUpUsd, guards.ceilingUsd)) return "This change is above your limit for one payment.";
  if (isAbove(dayUsd + roundUpUsd, guards.perDayUsd)) return "This would go over your daily limit.";
  if (isAbove(monthUsd + roundUpUsd, guards.perMonthUsd)) return "This would go over your monthly limit.";
  if (guards.floorSol === null) return null;
  if (mainBalanceSol === null)
    return "Your main wallet’s balance is not known yet, so this may leave less in it than you want to keep there.";
  const remainingLamports = solToLamports(mainBalanceSol) - solToLamports(outgoingSol);
  return remainingLamports < solToLamports(guards.floorSol)
    ? "This would leave less in your main wallet than you want to keep there."
    : null;
}
