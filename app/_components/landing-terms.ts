import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD, PLAN_NAMES, PLANS, type PlanName } from "@/lib/domain/plans";
import { roundUp, roundUpTerms, splitFee } from "@/lib/domain/round-up";

/** What the calculator and the plan table ask the domain; the very functions the server rounds with. */

export type Choice = PlanName | "custom";

/** The limits of POST /api/roundup. */
export const LIMITS = {
  purchase: { min: 0, max: 1_000_000 },
  increment: { min: 0.01, max: 100 },
  ceiling: { min: 0.000001, max: 100 },
  perWeek: { min: 1, max: 500 },
} as const;

/**
 * A typed amount as a number: "27.63", "27,63", "1,234.50", "$5". A comma before one or two last digits is a decimal
 * comma; anywhere else it must group thousands.
 * @returns null for anything else
 */
export function parseAmount(text: string): number | null {
  const bare = text.replace(/[\s$]/g, "");
  const point = /^\d+,\d{1,2}$/.test(bare) ? bare.replace(",", ".") : bare;
  if (!/^(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?$/.test(point) || !/\d/.test(point)) return null;
  return Number(point.replaceAll(",", ""));
}

/** As parseAmount, and what is wrong with it in words. */
export function readAmount(
  text: string,
  { min, max }: { min: number; max: number },
): { value: number; error: null } | { value: null; error: string } {
  if (text.trim() === "") return { value: null, error: "Type an amount." };
  const value = parseAmount(text);
  if (value === null) return { value, error: "Write the amount with digits, like 27.63." };
  if (value < min) return { value: null, error: min < 0.01 ? "This must be more than 0." : `At least ${min}.` };
  if (value > max) return { value: null, error: `At most ${max.toLocaleString("en-US")}.` };
  return { value, error: null };
}

export interface Answer {
  roundedToUsd: number;
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  feePercent: number;
  incrementUsd: number;
  skipped: boolean;
  capped: boolean;
}

export interface Terms {
  choice: Choice;
  /** Only looked at when the choice is custom. */
  incrementUsd: number;
  ceilingUsd: number;
}

const termsOf = ({ choice, incrementUsd, ceilingUsd }: Terms) =>
  roundUpTerms({ ceiling: ceilingUsd, ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }) });

/** One purchase, rounded as POST /api/roundup does it. */
export function answer(purchaseUsd: number, terms: Terms): Answer {
  const { incrementMicroUsd, ceilingMicroUsd, feeBps } = termsOf(terms);
  const value = toMicroUsd(purchaseUsd);
  const change = roundUp(value, incrementMicroUsd, ceilingMicroUsd);
  const { fee, investment } = splitFee(change.microUsd, feeBps);
  return {
    roundedToUsd: fromMicroUsd(value + change.microUsd),
    roundUpUsd: fromMicroUsd(change.microUsd),
    feeUsd: fromMicroUsd(fee),
    investedUsd: fromMicroUsd(investment),
    feePercent: Number(feeBps) / 100,
    incrementUsd: fromMicroUsd(incrementMicroUsd),
    skipped: change.skipped,
    capped: change.capped,
  };
}

/** Every possible ending of a price in cents, each once: what prices look like when nothing is known about them. */
const EVERY_ENDING = Array.from({ length: 100 }, (_, cents) => cents / 100);
const WEEKS = 52;

export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Round-ups that are more than nothing. */
  roundUps: number;
}

/**
 * A year of one plan: the given purchases repeated, or every ending of a price equally often when there are none.
 * @param perWeek purchases a week
 */
export function yearOf(plan: PlanName, perWeek: number, purchasesUsd: readonly number[]): Year {
  const sample = purchasesUsd.length > 0 ? purchasesUsd : EVERY_ENDING;
  const rounded = sample.map((usd) => answer(usd, { choice: plan, incrementUsd: 0, ceilingUsd: DEFAULT_CEILING_USD }));
  const times = (perWeek * WEEKS) / sample.length;
  const sum = (of: (one: Answer) => number) => rounded.reduce((total, one) => total + of(one), 0) * times;
  return {
    roundUpUsd: sum(({ roundUpUsd }) => roundUpUsd),
    feeUsd: sum(({ feeUsd }) => feeUsd),
    investedUsd: sum(({ investedUsd }) => investedUsd),
    roundUps: Math.round(sum(({ skipped }) => (skipped ? 0 : 1))),
  };
}

export const PLAN_LIST = PLAN_NAMES.map((plan) => ({ plan, ...PLANS[plan] }));

/** Amounts out of free text: separated by spaces, semicolons, new lines, or a comma and a space. @returns null when one is unreadable */
export function parseAmounts(text: string): number[] | null {
  const parts = text.split(/(?:;|,?\s+)/).filter((part) => part !== "" && part !== "$");
  const amounts = parts.map(parseAmount);
  return amounts.every((amount) => amount !== null && amount <= LIMITS.purchase.max) ? (amounts as number[]) : null;
}
