"use client";

import { useState } from "react";
import { CEILING_USD, PURCHASE_USD, ROUND_TO_USD } from "@/lib/domain/limits";
import { DEFAULT_CEILING_USD, DEFAULT_PLAN } from "@/lib/domain/plans";
import { readAmount } from "../_components/amount";
import { Card, Line } from "../_components/card";
import { Field } from "../_components/field";
import { percentText, Usd } from "../_components/money";
import { type Answer, answer, type Choice, PLAN_LIST } from "../_components/round-up";

/** Rounds while typing, with the server's own arithmetic and without asking it. */
export function LandingCalculator() {
  const [purchase, setPurchase] = useState("27.63");
  const [choice, setChoice] = useState<Choice>(DEFAULT_PLAN);
  const [increment, setIncrement] = useState("0.25");
  const [ceiling, setCeiling] = useState(DEFAULT_CEILING_USD.toFixed(2));

  const value = readAmount(purchase, PURCHASE_USD);
  const step = readAmount(increment, ROUND_TO_USD);
  const most = readAmount(ceiling, CEILING_USD);
  const custom = choice === "custom";
  const ready = value.error === null && most.error === null && (!custom || step.error === null);
  const result = ready
    ? answer(value.value!, { choice, incrementUsd: step.value ?? 0, ceilingUsd: most.value! })
    : null;

  return (
    <Card title="Try it with a purchase" className="shadow-sm">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="You pay"
          prefix="$"
          inputMode="decimal"
          autoComplete="off"
          value={purchase}
          error={value.error}
          onChange={(event) => setPurchase(event.target.value)}
        />
        <Field
          label="Save at most, per purchase"
          prefix="$"
          inputMode="decimal"
          autoComplete="off"
          value={ceiling}
          error={most.error}
          onChange={(event) => setCeiling(event.target.value)}
        />
      </div>
      <PlanChoice choice={choice} onChoose={setChoice} />
      {custom && (
        <Field
          className="mt-4"
          label="Round up to the next multiple of"
          prefix="$"
          inputMode="decimal"
          autoComplete="off"
          value={increment}
          error={step.error}
          onChange={(event) => setIncrement(event.target.value)}
        />
      )}
      <Result result={result} />
    </Card>
  );
}

function PlanChoice({ choice, onChoose }: { choice: Choice; onChoose: (choice: Choice) => void }) {
  const options = [
    ...PLAN_LIST.map(({ plan, name, roundToUsd }) => ({
      value: plan as Choice,
      name,
      detail: <Usd value={roundToUsd} />,
    })),
    { value: "custom" as Choice, name: "Custom", detail: "your step" },
  ];
  return (
    <fieldset className="mt-4">
      <legend className="mb-1.5 text-sm font-medium">Plan: round up to the next</legend>
      <div className="grid grid-cols-3 gap-2 min-[440px]:grid-cols-5">
        {options.map(({ value, name, detail }) => (
          <label
            key={value}
            className="relative flex min-h-14 last:max-[440px]:col-span-2 flex-col items-center justify-center rounded-xl border border-line-strong px-1 py-1.5 text-center text-sm has-checked:border-accent has-checked:bg-accent-wash has-checked:font-semibold has-checked:text-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="landing-plan"
              value={value}
              checked={choice === value}
              onChange={() => onChoose(value)}
              className="absolute inset-0 cursor-pointer appearance-none outline-none"
            />
            <span>{name}</span>
            <span className="font-normal">{detail}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Result({ result }: { result: Answer | null }) {
  return (
    <div
      data-testid="calculator-result"
      aria-live="polite"
      aria-atomic="true"
      className="mt-5 flex min-h-35 flex-col justify-center rounded-xl bg-raised px-4 py-3"
    >
      {result === null ? (
        <p className="text-soft">Correct the amounts above and the round-up shows here.</p>
      ) : (
        <>
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span>
              Rounded to <Usd value={result.roundedToUsd} exact />, you save
            </span>
            <Usd value={result.roundUpUsd} exact className="text-2xl font-semibold text-accent" />
          </p>
          <Remark result={result} />
          {!result.skipped && (
            <dl className="-mb-1 mt-1 text-[0.95rem]">
              <Line label="Into your own wallet">
                <Usd value={result.investedUsd} exact />
              </Line>
              <Line label={`Service fee, ${percentText(result.feePercent / 100)} of the change`}>
                <Usd value={result.feeUsd} exact />
              </Line>
            </dl>
          )}
        </>
      )}
    </div>
  );
}

function Remark({ result }: { result: Answer }) {
  if (result.skipped) {
    return (
      <p className="mt-1 text-soft">The price already is a full step, so nothing is saved and nothing is charged.</p>
    );
  }
  if (!result.capped) return null;
  return <p className="mt-1 text-soft">The change would be more. Your limit cuts it.</p>;
}
