"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { GOAL_USD, type Goal, MAX_GOAL_NAME_LENGTH, parseDay } from "@/app/_client/local-storage/goal";
import { Button } from "@/app/_components/button";
import { DollarField, Field } from "@/app/_components/field";
import { parseAmountInRange } from "@/app/_components/parse-amount";

interface Props {
  goal: Goal | null;
  /** ms since the epoch */
  now: number;
  onSave: (goal: Goal) => void;
  onCancel: () => void;
}

/** Edits a goal's name, amount and date. Errors appear on the first attempt to save. */
export function GoalForm({ goal, now, onSave, onCancel }: Props) {
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
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
