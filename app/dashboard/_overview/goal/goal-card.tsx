"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { GOAL_USD, type Goal, MAX_GOAL_NAME_LENGTH, parseDay, useGoal } from "@/app/_client/local-storage/goal";
import { useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, QuietButton, SecondaryButton } from "@/app/_components/button";
import { Badge, Card } from "@/app/_components/card";
import { DollarField, Field } from "@/app/_components/field";
import { KeepFocus } from "@/app/_components/keep-focus";
import { formatUsd } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import type { OwnPace } from "../growth/value-series";
import { describeGoal } from "./goal-words";

interface Props {
  worthMicroUsd: bigint;
  pace: OwnPace;
  /** ms since the epoch */
  now: number;
}

export function GoalCard(props: Props) {
  const { now } = props;
  const [goal, setGoal] = useGoal(useReadySession().wallet);
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
              <QuietButton className="-ml-4" onClick={() => setIsEditing(true)}>
                Edit
              </QuietButton>
              <QuietButton onClick={() => save(null)}>Remove</QuietButton>
            </p>
          </>
        ) : (
          <>
            <p className="text-soft">A trip, a bike, a rainy day: name it, and see whether you are on track.</p>
            <SecondaryButton className="mt-4" onClick={() => setIsEditing(true)}>
              Set a goal
            </SecondaryButton>
          </>
        )}
      </Card>
    </KeepFocus>
  );
}

const dateFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function GoalProgress({ goal, now, worthMicroUsd, pace }: Props & { goal: Goal }) {
  const [weekly] = useWeekly(useReadySession().wallet);
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

interface FormProps {
  goal: Goal | null;
  now: number;
  onSave: (goal: Goal) => void;
  onCancel: () => void;
}

/** Edits a goal's name, amount and date. Errors appear on the first attempt to save. */
function GoalForm({ goal, now, onSave, onCancel }: FormProps) {
  const [name, setName] = useState(goal?.name ?? "");
  const [amountText, setAmountText] = useState(goal ? String(goal.amountUsd) : "");
  const [date, setDate] = useState(goal?.date ?? "");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const formRef = useRef<HTMLFormElement>(null);
  useEffect(() => {
    formRef.current?.querySelector("input")?.focus();
  }, []);

  const typedAmount = parseAmountInRange(amountText, GOAL_USD);
  const dueTime = date === "" ? null : parseDay(date);
  const nameError = name.trim() === "" ? "Give it a name." : null;
  const dateError = dueTime !== null && dueTime <= now ? "Choose a day to come." : null;
  const save = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (nameError || typedAmount.error !== null || dateError) return;
    onSave({ name: name.trim(), amountUsd: typedAmount.value, date: dueTime === null ? null : date });
  };
  return (
    <form ref={formRef} onSubmit={save} noValidate className="space-y-4">
      <Field
        label="What for"
        placeholder="A new bike"
        maxLength={MAX_GOAL_NAME_LENGTH}
        value={name}
        error={isSubmitted ? nameError : null}
        onChange={setName}
      />
      <DollarField
        label="How much"
        value={amountText}
        error={isSubmitted ? typedAmount.error : null}
        onChange={setAmountText}
      />
      <Field
        label="By when (optional)"
        hint="With a date, you see what it takes each week"
        type="date"
        value={date}
        error={isSubmitted ? dateError : null}
        onChange={setDate}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit">Save goal</Button>
        <QuietButton onClick={onCancel}>Cancel</QuietButton>
      </div>
    </form>
  );
}
