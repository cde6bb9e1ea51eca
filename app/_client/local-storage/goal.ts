import { useCallback } from "react";
import { storeValue, useStoredValue } from "./stored-value";

/** What somebody saves for. */
export interface Goal {
  name: string;
  amountUsd: number;
  /** The day it is wanted, as 2028-06-01. */
  date: string;
}

/** USD. */
export const GOAL_USD = { min: 1, max: 10_000_000 } as const;
export const NAME_LENGTH = 40;

/** A wallet's one goal in this browser, null without one, and a way to change it; null forgets it. */
export function useGoal(wallet: string): [Goal | null, (next: Goal | null) => void] {
  const key = `roundup-goal:${wallet}`;
  return [readGoal(useStoredValue(key)), useCallback((next: Goal | null) => storeValue(key, next), [key])];
}

/** What was kept; null when any part of it cannot be. */
export function readGoal(text: string | null): Goal | null {
  const { name, amountUsd, date } = parse(text);
  if (typeof name !== "string" || name.trim() === "" || name.length > NAME_LENGTH) return null;
  if (typeof amountUsd !== "number" || !(amountUsd >= GOAL_USD.min && amountUsd <= GOAL_USD.max)) return null;
  return typeof date === "string" && dayOf(date) !== null ? { name, amountUsd, date } : null;
}

/** The beginning of a day written as 2028-06-01, ms since the epoch, at Greenwich; null for what is no day. */
export function dayOf(date: string): number | null {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(date) ? null : time;
}

function parse(text: string | null): Partial<Record<keyof Goal, unknown>> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
