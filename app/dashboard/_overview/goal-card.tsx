"use client";

import { useState } from "react";
import { dayOf, type Goal, useGoal } from "@/app/_client/kept/goal";
import { Button } from "@/app/_components/button";
import { Badge, Card } from "@/app/_components/card";
import { KeepFocus } from "@/app/_components/keep-focus";
import { usdText } from "@/app/_components/money";
import { type GoalOutlook, goalOutlook } from "@/lib/domain/goal";
import { ceilToCents, fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { GoalForm } from "./goal-form";

interface Props {
  wallet: string;
  worthMicroUsd: bigint;
  perMonthMicroUsd: bigint;
  /** ms since the epoch */
  now: number;
}

/** The one thing somebody saves for, and whether their pace brings it in time. */
export function GoalCard({ wallet, now, ...money }: Props) {
  const [goal, change] = useGoal(wallet);
  const [editing, setEditing] = useState(false);
  const take = (next: Goal | null) => {
    change(next);
    setEditing(false);
  };
  return (
    <KeepFocus className="h-full">
      <Card title="Your goal" className="h-full">
        {editing ? (
          <GoalForm goal={goal} now={now} onSave={take} onCancel={() => setEditing(false)} />
        ) : goal ? (
          <>
            <Standing goal={goal} now={now} {...money} />
            <p className="-mb-2 mt-4 flex gap-1">
              <Button look="quiet" className="-ml-4" onClick={() => setEditing(true)}>
                Edit
              </Button>
              <Button look="quiet" onClick={() => take(null)}>
                Remove
              </Button>
            </p>
          </>
        ) : (
          <>
            <p className="text-soft">A trip, a bike, a rainy day: name it, and see whether you are on track.</p>
            <Button look="secondary" className="mt-4" onClick={() => setEditing(true)}>
              Set a goal
            </Button>
          </>
        )}
      </Card>
    </KeepFocus>
  );
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

function Standing({ goal, now, worthMicroUsd, perMonthMicroUsd }: Omit<Props, "wallet"> & { goal: Goal }) {
  const { name, amountUsd, date } = goal;
  const due = dayOf(date)!;
  const outlook = goalOutlook({
    amountMicroUsd: toMicroUsd(amountUsd),
    worthMicroUsd,
    perMonthMicroUsd,
    leftMs: due - now,
  });
  const [tone, label] = LABELS[outlook.state];
  const share = Math.min(1, fromMicroUsd(worthMicroUsd) / amountUsd);
  return (
    <div data-testid="goal">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 font-semibold wrap-anywhere">{name}</p>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p className="text-soft">
        {usdText(amountUsd)} by {day.format(due)}
      </p>
      <div
        role="progressbar"
        aria-label={name}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuetext={`${Math.floor(share * 100)} % there`}
        className="mt-4 h-3 overflow-hidden rounded-full bg-raised ring-1 ring-line ring-inset"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
      <p className="mt-3 text-sm">{wordsOf(outlook, perMonthMicroUsd)}</p>
    </div>
  );
}

const LABELS = {
  reached: ["good", "Reached"],
  "on-track": ["good", "On track"],
  behind: ["warn", "Behind"],
  overdue: ["warn", "Past its day"],
} as const;

function wordsOf({ state, missingMicroUsd, morePerMonthMicroUsd }: GoalOutlook, perMonthMicroUsd: bigint): string {
  const missing = usdText(fromMicroUsd(missingMicroUsd));
  if (state === "reached") return "It is all there.";
  if (state === "overdue") return `${missing} is missing. A new day gives it another chance.`;
  const pace = `${missing} to go, at ${usdText(fromMicroUsd(perMonthMicroUsd))} a month`;
  if (state === "on-track") return `${pace}.`;
  return `${pace}. ${usdText(ceilToCents(fromMicroUsd(morePerMonthMicroUsd)))} more a month brings it in time.`;
}
