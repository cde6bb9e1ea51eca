"use client";

import { useId, useState } from "react";
import { type Guards, savedSoFar, useGuards } from "@/app/_client/guards";
import { useReadySession } from "@/app/_client/session";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Field } from "@/app/_components/field";
import { parseAmount } from "@/app/_components/landing-terms";
import { Usd } from "@/app/_components/money";

type Limit = "ceilingUsd" | "perDayUsd" | "perMonthUsd" | "floorSol";

const LIMITS: { name: Limit; label: string; hint: string; unit: "$" | "SOL" }[] = [
  { name: "ceilingUsd", label: "Ceiling for one round-up", hint: "Larger ones are not saved", unit: "$" },
  { name: "perDayUsd", label: "At most a day", hint: "Counted in this browser", unit: "$" },
  { name: "perMonthUsd", label: "At most a month", hint: "Counted in this browser", unit: "$" },
  { name: "floorSol", label: "Keep in the main wallet", hint: "A saving that goes below is stopped", unit: "SOL" },
];

/** What the person allows; kept in this browser, for this wallet. */
export function GuardSettings() {
  const { wallet } = useReadySession();
  const [guards, change] = useGuards(wallet);
  const { dayUsd, monthUsd } = savedSoFar(wallet);
  return (
    <Card
      title="My limits"
      action={
        <Button
          look={guards.paused ? "primary" : "secondary"}
          aria-pressed={guards.paused}
          onClick={() => change({ paused: !guards.paused })}
        >
          {guards.paused ? "Go on saving" : "Pause saving"}
        </Button>
      }
    >
      <p className="text-sm text-soft">
        Saved from here: <Usd value={dayUsd} /> today, <Usd value={monthUsd} /> this month.
      </p>
      <div className="mt-4 space-y-4">
        {LIMITS.map((limit) => (
          <LimitField key={limit.name} {...limit} value={guards[limit.name]} onChange={change} />
        ))}
      </div>
    </Card>
  );
}

function LimitField({
  name,
  label,
  hint,
  unit,
  value,
  onChange,
}: (typeof LIMITS)[number] & { value: number | null; onChange: (next: Partial<Guards>) => void }) {
  const id = useId();
  const [text, setText] = useState(value === null ? "" : String(value));
  const amount = text.trim() === "" ? null : parseAmount(text);
  const wrong = text.trim() !== "" && amount === null;
  return (
    <Field
      key={id}
      label={label}
      hint={hint}
      {...(unit === "$" ? { prefix: "$" } : { suffix: "SOL" })}
      inputMode="decimal"
      autoComplete="off"
      placeholder="no limit"
      value={text}
      error={wrong ? "Write the amount with digits, or leave it empty." : null}
      onChange={(event) => {
        const next = event.target.value;
        setText(next);
        const read = next.trim() === "" ? null : parseAmount(next);
        if (next.trim() === "" || read !== null) onChange({ [name]: read });
      }}
    />
  );
}
