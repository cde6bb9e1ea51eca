"use client";

import { useState } from "react";
import { type Goal, parseDay, useGoal } from "@/app/_client/local-storage/goal";
import { useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { Button } from "@/app/_components/button";
import { Badge, Card } from "@/app/_components/card";
import { KeepFocus } from "@/app/_components/keep-focus";
import { formatUsd } from "@/app/_components/money";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import type { OwnPace } from "../growth/own-pace";
import { GoalForm } from "./goal-form";
import { describeGoal } from "./goal-words";

interface Props {
  wallet: string;
  worthMicroUsd: bigint;
  pace: OwnPace;
  /** ms since the epoch */
  now: number;
}

/** Shows the savings goal and whether the current pace reaches it in time. */
export function GoalCard(props: Props) {
  const { wallet, now } = props;
  const [goal, setGoal] = useGoal(wallet);
  const [isEditing, setIsEditing] = useState(false);
  const save = (newGoal: Goal | null) => {
    setGoal(newGoal);
    setIsEditing(false);
  };
  return (
    <KeepFocus className="h-full">
      <Card title="Your goal" className="h-full">
        {isEditing ? (
          <GoalForm goal={goal} now={now} onSave={save} onCancel={() => setIsEditing(false)} />
        ) : goal ? (
          <>
            <GoalProgress {...props} goal={goal} />
            <p className="-mb-2 mt-4 flex gap-1">
              <Button variant="quiet" className="-ml-4" onClick={() => setIsEditing(true)}>
                Edit
              </Button>
              <Button variant="quiet" onClick={() => save(null)}>
                Remove
              </Button>
            </p>
          </>
        ) : (
          <>
            <p className="text-soft">A trip, a bike, a rainy day: name it, and see whether you are on track.</p>
            <Button variant="secondary" className="mt-4" onClick={() => setIsEditing(true)}>
              Set a goal
            </Button>
          </>
        )}
      </Card>
    </KeepFocus>
  );
}

const dateFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function GoalProgress({ goal, wallet, now, worthMicroUsd, pace }: Props & { goal: Goal }) {
  const [weekly] = useWeekly(wallet);
  const { name, amountUsd, date } = goal;
  const dueTime = date === null ? null : parseDay(date);
  const timeLeftMs = dueTime === null ? null : dueTime - now;
  const outlook = computeGoalOutlook({
    amountMicroUsd: toMicroUsd(amountUsd),
    worthMicroUsd,
    perMonthMicroUsd: pace.perMonthMicroUsd,
    timeLeftMs,
  });
  const { tone, label, text } = describeGoal(outlook, pace, {
    amountUsd,
    timeLeftMs,
    weeklyUsd: weekly?.amountUsd ?? null,
    now,
  });
  return (
    <div data-testid="goal">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 font-semibold wrap-anywhere">{name}</p>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p className="text-soft">
        {formatUsd(amountUsd)}
        {dueTime !== null && ` by ${dateFormat.format(dueTime)}`}
      </p>
      <ProgressRing name={name} share={Math.min(1, fromMicroUsd(worthMicroUsd) / amountUsd)} />
      <p className="text-sm">{text}</p>
    </div>
  );
}

function ProgressRing({ name, share }: { name: string; share: number }) {
  // Rounded down: the goal card never shows 100 % before the goal is reached.
  const percent = Math.floor(share * 100);
  const text = share > 0 && percent === 0 ? "< 1 %" : `${percent} %`;
  const ring = { cx: 50, cy: 50, r: 43, strokeWidth: 10, pathLength: 1 };
  return (
    <div
      role="progressbar"
      aria-label={name}
      aria-valuenow={percent}
      aria-valuetext={`${text} there`}
      className="relative mx-auto my-6 size-44"
    >
      <svg viewBox="0 0 100 100" aria-hidden="true" className="-rotate-90 size-full fill-none">
        <circle {...ring} className="stroke-line" />
        {share > 0 && (
          <circle
            {...ring}
            strokeDasharray={`${Math.max(share, 0.001)} 1`}
            strokeLinecap="round"
            className="stroke-accent"
          />
        )}
      </svg>
      <p aria-hidden="true" className="absolute inset-0 grid place-content-center font-semibold text-3xl tabular-nums">
        {text}
      </p>
    </div>
  );
}
