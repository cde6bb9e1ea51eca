"use client";

import { memo, type ReactNode, useDeferredValue, useState } from "react";
import { fromMicroUsd } from "@/lib/domain/money";
import { PLAN_LIST } from "../../lib/sdk/preview-round-up";
import { Fold } from "../_components/fold";
import { loadAfterPage } from "../_components/load-after-page";
import { formatUsd } from "../_components/money";
import { Projection } from "../_components/projection";
import { LandingCalculator } from "./calculator";
import {
  type CalculatorFields,
  computeMonthlyPace,
  computeYear,
  DEFAULT_FIELDS,
  readFields,
  WEEKS_PER_YEAR,
} from "./calculator-fields";

/** Loads when the visitor opens the comparison. */
const LandingPlans = loadAfterPage(() => import("./plans").then((module) => module.LandingPlans));

interface Props {
  /** Above the projection, so that visitors find the answers early. */
  questions: ReactNode;
  children: ReactNode;
}

export function LandingTry({ questions, children }: Props) {
  const [typed, setTyped] = useState(DEFAULT_FIELDS);
  const [isComparing, setIsComparing] = useState(false);
  const changeFields = (changes: Partial<CalculatorFields>) => setTyped((fields) => ({ ...fields, ...changes }));
  const { terms, yearInput, errors, preview } = readFields(typed);
  return (
    <>
      <section className="grid items-center gap-8 py-8 sm:py-12 lg:grid-cols-[minmax(0,1fr)_minmax(0,30rem)] lg:gap-14">
        <div>{children}</div>
        <LandingCalculator typed={typed} onChange={changeFields} errors={errors} preview={preview} />
      </section>
      {questions}
      <section aria-label="Growth" className="pb-10 sm:pb-14">
        <Growth typed={useDeferredValue(typed)} />
        <Fold title="Compare plans and costs" className="mt-4 border-t-0 px-5 sm:px-6" onToggle={setIsComparing}>
          {isComparing && (
            <LandingPlans typed={typed} onChange={changeFields} errors={errors} terms={terms} yearInput={yearInput} />
          )}
        </Fold>
      </section>
    </>
  );
}

/** Renders after the calculator's result, so that typing stays fast. */
const Growth = memo(function Growth({ typed }: { typed: CalculatorFields }) {
  const { terms, yearInput } = readFields(typed);
  const year = terms && yearInput && computeYear(terms, yearInput.perWeek, yearInput.purchasesUsd);
  const perMonthMicroUsd = year ? computeMonthlyPace(year) : 0n;
  const planName = PLAN_LIST.find(({ plan }) => plan === typed.choice)?.name ?? "Your step";
  return (
    <Projection startMicroUsd={0n} perMonthMicroUsd={perMonthMicroUsd}>
      {year ? (
        <p>
          {planName}, {yearInput!.perWeek} purchases a week,{" "}
          {formatUsd(year.roundUpUsd / (yearInput!.perWeek * WEEKS_PER_YEAR))} each, less the service fee:{" "}
          {formatUsd(fromMicroUsd(perMonthMicroUsd))} a month.
        </p>
      ) : (
        <p>Correct the amounts above.</p>
      )}
    </Projection>
  );
});
