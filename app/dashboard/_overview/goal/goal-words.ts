import { formatUsd } from "@/app/_components/money";
import type { GoalOutlook } from "@/lib/domain/goal";
import { ceilToCents, fromMicroUsd } from "@/lib/domain/money";
import { WEEK_MS } from "@/lib/domain/time";
import type { OwnPace } from "../growth/value-series";

interface GoalDescription {
  tone: "plain" | "good" | "warn";
  label: string;
  text: string;
}

interface GoalContext {
  amountUsd: number;
  /** Milliseconds until the goal's day, negative after it; null for a goal without a date. */
  timeLeftMs: number | null;
  /** USD that the person has chosen to add every week; null for none. */
  weeklyUsd: number | null;
  /** ms since the epoch */
  now: number;
}

/**
 * Describes the progress towards a goal. Before the first week is over, the text states no pace of the person and no
 * goal is "Behind". It then says what a dated goal needs each week, and gives an example for a goal without a date.
 */
export function describeGoal(outlook: GoalOutlook, pace: OwnPace, context: GoalContext): GoalDescription {
  const { state, missingMicroUsd, morePerMonthMicroUsd } = outlook;
  const { perMonthMicroUsd, isRepresentative } = pace;
  const missingText = formatUsd(fromMicroUsd(missingMicroUsd));
  if (state === "reached") return { tone: "good", label: "Reached", text: "You have saved all of it." };
  if (state === "overdue") {
    return { tone: "warn", label: "Overdue", text: `${missingText} is missing. Choose a new date to continue.` };
  }
  if (!isRepresentative) {
    const text = `${missingText} to go. ${describeWeeks(fromMicroUsd(missingMicroUsd), context)}`;
    return state === "on-track"
      ? { tone: "good", label: "On track", text }
      : { tone: "plain", label: "Just started", text };
  }
  const months = perMonthMicroUsd > 0n ? (missingMicroUsd + perMonthMicroUsd - 1n) / perMonthMicroUsd : null;
  const monthsText = months === null ? "" : `about ${formatCount(Number(months), "month")} `;
  const paceText = `${missingText} to go, ${monthsText}at ${formatUsd(fromMicroUsd(perMonthMicroUsd))} a month.`;
  if (state === "on-track") return { tone: "good", label: "On track", text: paceText };
  if (state === "undated") return { tone: "plain", label: "Under way", text: paceText };
  const moreText = formatUsd(ceilToCents(fromMicroUsd(morePerMonthMicroUsd)));
  return { tone: "warn", label: "Behind", text: `${paceText} Add ${moreText} more a month to reach it in time.` };
}

const OWN_PACE_TEXT = "After a week of saving, this page uses your own pace.";

/** Says what a dated goal needs each week, or when an example amount each week reaches a goal without a date. */
function describeWeeks(missingUsd: number, { amountUsd, timeLeftMs, weeklyUsd, now }: GoalContext): string {
  if (timeLeftMs !== null) {
    // When less than a week is left, the person needs the whole missing amount.
    const neededText = formatUsd(ceilToCents(missingUsd / Math.max(1, timeLeftMs / WEEK_MS)));
    return `Save ${neededText} a week to reach it in time. ${OWN_PACE_TEXT}`;
  }
  const exampleUsd = weeklyUsd ?? chooseExample(missingUsd);
  const weeks = Math.ceil(missingUsd / exampleUsd);
  const startText = weeklyUsd === null ? "For example, at" : "With your weekly top-up of";
  const rateText = `${formatUsd(exampleUsd)}${weeklyUsd === null ? " a week" : ""}`;
  const lengthText =
    weeks <= MAX_WEEKS ? formatCount(weeks, "week") : formatCount(Math.round((weeks * WEEK_MS) / YEAR_MS), "year");
  const reachText = `you reach ${formatUsd(amountUsd)} in about ${lengthText}, in ${monthFormat.format(now + weeks * WEEK_MS)}`;
  return `${startText} ${rateText} ${reachText}. ${OWN_PACE_TEXT} Add a date to see what it takes each week.`;
}

/** 365.25 days. */
const YEAR_MS = 31_557_600_000;
/** The longest time that is stated in weeks: two years. */
const MAX_WEEKS = 104;
/** The smallest example, USD a week: the top-up that the overview suggests when nothing is missing. */
const MIN_EXAMPLE_USD = 5;

/** Returns an amount each week that reaches the goal within two years: $5, doubled until it suffices. */
const chooseExample = (missingUsd: number): number =>
  MIN_EXAMPLE_USD * 2 ** Math.max(0, Math.ceil(Math.log2(missingUsd / MIN_EXAMPLE_USD / MAX_WEEKS)));

const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

const formatCount = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`;
