"use client";

import { useState } from "react";
import { type Guards, useGuards, useSavedTotals } from "@/app/_client/local-storage/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Field } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { parseDecimal } from "@/app/_components/parse-amount";

interface LimitWords {
  name: "ceilingUsd" | "perDayUsd" | "perMonthUsd" | "floorSol";
  label: string;
  hint: string;
  unit: "$" | "SOL";
  formatSummary: (value: number) => string;
}

const LIMITS: LimitWords[] = [
  {
    name: "ceilingUsd",
    label: "Limit for one payment",
    hint: "Larger change is stopped",
    unit: "$",
    formatSummary: (usd) => `${formatUsd(usd)} a payment`,
  },
  {
    name: "perDayUsd",
    label: "Daily limit",
    hint: "Counted in this browser",
    unit: "$",
    formatSummary: (usd) => `${formatUsd(usd)} a day`,
  },
  {
    name: "perMonthUsd",
    label: "Monthly limit",
    hint: "Counted in this browser",
    unit: "$",
    formatSummary: (usd) => `${formatUsd(usd)} a month`,
  },
  {
    name: "floorSol",
    label: "Keep in my main wallet",
    hint: "Saving stops before it goes lower",
    unit: "SOL",
    formatSummary: (sol) => `keep ${sol} SOL`,
  },
];

/** Edits the person's guards, stored per wallet in this browser. They are folded, because they are optional. */
export function GuardSettings() {
  const { wallet } = useReadySession();
  const [guards, changeGuards] = useGuards(wallet);
  const { dayUsd, monthUsd } = useSavedTotals(wallet);
  const summaries = LIMITS.flatMap(({ name, formatSummary }) => {
    const value = guards[name];
    return value === null ? [] : [formatSummary(value)];
  });
  return (
    <Card
      title="My limits"
      action={
        <Button
          variant={guards.paused ? "primary" : "secondary"}
          onClick={() => changeGuards({ paused: !guards.paused })}
        >
          {guards.paused ? "Resume saving" : "Pause saving"}
        </Button>
      }
    >
      <p className="text-sm text-soft">
        Saved today from this browser, service fee included: <UsdAmount usd={dayUsd} />. This month:{" "}
        <UsdAmount usd={monthUsd} />.
      </p>
      <Fold
        className="mt-3"
        title={
          <span data-testid="limits-set">
            {summaries.length === 0 ? "Set limits (optional)" : summaries.join(", ")}
          </span>
        }
      >
        <div className="mt-4 space-y-4">
          {LIMITS.map((limit) => (
            <LimitField key={limit.name} {...limit} value={guards[limit.name]} onChange={changeGuards} />
          ))}
        </div>
      </Fold>
    </Card>
  );
}

/** Parses a typed limit: null for empty text, which means no limit, and undefined with an error for invalid text. */
function parseLimit(
  text: string,
  unit: LimitWords["unit"],
): { limit: number | null | undefined; error: string | null } {
  if (text.trim() === "") return { limit: null, error: null };
  const { decimal, error } = parseDecimal(text, unit === "$" ? undefined : unit);
  return { limit: decimal === null ? undefined : Number(decimal), error };
}

interface LimitFieldProps extends Omit<LimitWords, "formatSummary"> {
  value: number | null;
  onChange: (changes: Partial<Guards>) => void;
}

function LimitField({ name, label, hint, unit, value, onChange }: LimitFieldProps) {
  const [typedText, setTypedText] = useState<string | null>(null);
  const { limit, error } = typedText === null ? { limit: value, error: null } : parseLimit(typedText, unit);
  // Show the stored value unless the person is typing: another tab may have changed it.
  const text = typedText !== null && (error || limit === value) ? typedText : String(value ?? "");
  return (
    <Field
      label={label}
      hint={hint}
      {...(unit === "$" ? { prefix: "$" } : { suffix: "SOL" })}
      inputMode="decimal"
      placeholder="no limit"
      value={text}
      error={error}
      onChange={(newText) => {
        setTypedText(newText);
        const { limit: newLimit } = parseLimit(newText, unit);
        if (newLimit !== undefined) onChange({ [name]: newLimit });
      }}
    />
  );
}
