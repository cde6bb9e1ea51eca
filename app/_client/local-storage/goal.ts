import { useCallback } from "react";
import { isNumberInRange, parseFields, storeValue, useParsedValue } from "./stored-value";

export interface Goal {
  name: string;
  amountUsd: number;
  /** YYYY-MM-DD. */
  date: string | null;
}

/** USD. */
export const GOAL_USD = { min: 1, max: 10_000_000 } as const;
/** Characters. */
export const MAX_GOAL_NAME_LENGTH = 40;

/** Returns the wallet's goal, with a setter. Null removes it. */
export function useGoal(wallet: string): [Goal | null, (goal: Goal | null) => void] {
  const key = `roundup-goal:${wallet}`;
  return [useParsedValue(key, parseGoal), useCallback((goal: Goal | null) => storeValue(key, goal), [key])];
}

/** Parses a stored goal. Returns null when any field is invalid. */
export function parseGoal(text: string | null): Goal | null {
  const { name, amountUsd, date } = parseFields(text);
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_GOAL_NAME_LENGTH) return null;
  if (!isNumberInRange(amountUsd, GOAL_USD)) return null;
  if (date === null) return { name, amountUsd, date };
  return typeof date === "string" && parseDay(date) !== null ? { name, amountUsd, date } : null;
}

/** Returns the start of a YYYY-MM-DD day in UTC, ms since the epoch. Returns null when the date does not exist. */
export function parseDay(date: string): number | null {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(date) ? null : time;
}
