"use client";

import { useState } from "react";
import { useGuards, useSavedTotals } from "@/app/_client/local-storage/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Field } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { parseAmountInRange, parseDecimal, writeUnambiguously } from "@/app/_components/parse-amount";
import { THRESHOLD_USD_RANGE } from "@/lib/domain/limits";

const LIMITS = [
  { name: "ceilingUsd", label: "Limit for one payment", hint: "Larger change is stopped", period: "a payment" },
  { name: "perDayUsd", label: "Daily limit", hint: "Counted in this browser", period: "a day" },
  { name: "perMonthUsd", label: "Monthly limit", hint: "Counted in this browser", period: "a month" },
  // SOL. The others are dollars.
  { name: "floorSol", label: "Keep in my main wallet", hint: "Saving stops before it goes lower", period: null },
] as const;

/** Edits the person's guards, stored per wallet in this browser. They are folded, because they are optional. */
export function GuardSettings() {
  const { wallet } = useReadySession();
  const [guards, changeGuards] = useGuards(wallet);
  const { dayUsd, monthUsd } = useSavedTotals(wallet);
  const summaries = LIMITS.flatMap(({ name, period }) => {
    const value = guards[name];
    if (value === null) return [];
    return period === null ? `keep ${value} SOL` : `${formatUsd(value)} ${period}`;
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
            <LimitField
              key={limit.name}
              limit={limit}
              value={guards[limit.name]}
              store={(value) => changeGuards({ [limit.name]: value })}
            />
          ))}
        </div>
      </Fold>
    </Card>
  );
}

interface LimitFieldProps {
  limit: (typeof LIMITS)[number];
  value: number | null;
  store: (value: number | null) => void;
}

function LimitField({ limit: { label, hint, period }, value, store }: LimitFieldProps) {
  const unit = period === null ? { suffix: "SOL" } : { prefix: "$" };
  const parseLimit = (text: string) => {
    // Without a text, there is no limit.
    if (text.trim() === "") return { value: null, error: null };
    const { decimal, error } = parseDecimal(text, unit.suffix);
    return { value: Number(decimal), error };
  };
  const field = useTypedNumber(value, parseLimit, store);
  return <Field label={label} hint={hint} {...unit} inputMode="decimal" placeholder="no limit" {...field} />;
}

/** Returns the members of a field that edits the minimum to invest. */
export function useThresholdField() {
  const [{ thresholdUsd }, changeGuards] = useGuards(useReadySession().wallet);
  const parse = (text: string) => parseAmountInRange(text, THRESHOLD_USD_RANGE);
  return useTypedNumber(thresholdUsd, parse, (usd) => changeGuards({ thresholdUsd: usd }));
}

/**
 * Returns the members of a field that edits a stored number. It shows the stored one unless the person is typing: another
 * tab may have changed it. An invalid text changes nothing.
 */
function useTypedNumber<Value extends number | null>(
  storedValue: Value,
  parse: (text: string) => { value: Value | null; error: string | null },
  store: (value: Value) => void,
) {
  const [typedText, setTypedText] = useState<string | null>(null);
  const typed = typedText === null ? null : parse(typedText);
  return {
    value: typed?.error || typed?.value === storedValue ? typedText! : writeUnambiguously(String(storedValue ?? "")),
    error: typed?.error ?? null,
    onChange(text: string) {
      setTypedText(text);
      const { value, error } = parse(text);
      if (error === null) store(value as Value);
    },
  };
}
