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
 * Describes the progress towards a goal. Before the first week is over, the text states no pace and no goal is
 * "Behind". It then says what a dated goal needs each month.
 * @param leftMs milliseconds until the goal's day; null for a goal without a date
 */
export function describeGoal(
  outlook: GoalOutlook,
  { perMonthMicroUsd, isRepresentative }: OwnPace,
  leftMs: number | null,
): GoalDescription {
  const { state, missingMicroUsd, morePerMonthMicroUsd } = outlook;
  const missingText = formatUsd(fromMicroUsd(missingMicroUsd));
  const months = perMonthMicroUsd > 0n ? (missingMicroUsd + perMonthMicroUsd - 1n) / perMonthMicroUsd : null;
  const monthsText = months === null ? "" : `about ${months} month${months === 1n ? "" : "s"} `;
  const paceText = `${missingText} to go, ${monthsText}at ${formatUsd(fromMicroUsd(perMonthMicroUsd))} a month`;
  const neededText =
    leftMs === null ? "" : ` Save ${formatUsd(computeNeededUsd(missingMicroUsd, leftMs))} a month to reach it in time.`;
  const startedText = `${missingText} to go.${neededText} We’ll show your pace after a week.`;
  const startedDescription = { tone: "plain", label: "Just started", text: startedText } as const;
  switch (state) {
    case "reached":
      return { tone: "good", label: "Reached", text: "You have saved all of it." };
    case "overdue":
      return { tone: "warn", label: "Overdue", text: `${missingText} is missing. Choose a new date to continue.` };
    case "on-track":
      return { tone: "good", label: "On track", text: `${paceText}.` };
    case "undated":
      return isRepresentative ? { tone: "plain", label: "Under way", text: `${paceText}.` } : startedDescription;
    default: {
      if (!isRepresentative) return startedDescription;
      const moreText = formatUsd(ceilToCents(fromMicroUsd(morePerMonthMicroUsd)));
      return { tone: "warn", label: "Behind", text: `${paceText}. Add ${moreText} more a month to reach it in time.` };
    }
  }
}

/** Returns the USD to save each month to reach a goal in time, rounded up. All of it when less than a month is left. */
const computeNeededUsd = (missingMicroUsd: bigint, leftMs: number): number =>
  ceilToCents(fromMicroUsd(missingMicroUsd) / Math.max(1, leftMs / MONTH_MS));
