import { formatUsd } from "@/app/_components/money";
import type { GoalOutlook } from "@/lib/domain/goal";
import { ceilToCents, fromMicroUsd } from "@/lib/domain/money";
import { MONTH_MS } from "@/lib/domain/projection";
import type { OwnPace } from "../growth/own-pace";

interface GoalDescription {
  tone: "plain" | "good" | "warn";
  label: string;
  text: string;
}

/**
 * Describes the progress towards a goal. Before the first week is over, states no pace and calls no goal behind, but says
 * what a dated goal needs each month.
 * @param leftMs milliseconds until the goal's day, null without one
 */
export function describeGoal(
  outlook: GoalOutlook,
  { perMonthMicroUsd, isRepresentative }: OwnPace,
  leftMs: number | null,
): GoalDescription {
  const { state, missingMicroUsd, morePerMonthMicroUsd } = outlook;
  const missing = formatUsd(fromMicroUsd(missingMicroUsd));
  const months = perMonthMicroUsd > 0n ? (missingMicroUsd + perMonthMicroUsd - 1n) / perMonthMicroUsd : null;
  const left = months === null ? "" : `about ${months} month${months === 1n ? "" : "s"} `;
  const pace = `${missing} to go, ${left}at ${formatUsd(fromMicroUsd(perMonthMicroUsd))} a month`;
  const needs =
    leftMs === null ? "" : ` Save ${formatUsd(computeNeededUsd(missingMicroUsd, leftMs))} a month to reach it in time.`;
  const text = `${missing} to go.${needs} We’ll show your pace after a week.`;
  const started = { tone: "plain", label: "Just started", text } as const;
  switch (state) {
    case "reached":
      return { tone: "good", label: "Reached", text: "You have saved all of it." };
    case "overdue":
      return { tone: "warn", label: "Overdue", text: `${missing} is missing. Choose a new date to continue.` };
    case "on-track":
      return { tone: "good", label: "On track", text: `${pace}.` };
    case "undated":
      return isRepresentative ? { tone: "plain", label: "Under way", text: `${pace}.` } : started;
    default: {
      if (!isRepresentative) return started;
      const more = formatUsd(ceilToCents(fromMicroUsd(morePerMonthMicroUsd)));
      return { tone: "warn", label: "Behind", text: `${pace}. Add ${more} more a month to reach it in time.` };
    }
  }
}

/** Returns the USD to save each month to reach a goal in time, rounded up. All of it when less than a month is left. */
const computeNeededUsd = (missingMicroUsd: bigint, leftMs: number): number =>
  ceilToCents(fromMicroUsd(missingMicroUsd) / Math.max(1, leftMs / MONTH_MS));
