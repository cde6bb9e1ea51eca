"use client";

import { type ReactNode, useState } from "react";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";
import { PLAN_LIST, type PreviewTerms } from "../../lib/sdk/preview-round-up";
import { Sol } from "../_components/coins";
import { Field, SelectField } from "../_components/field";
import { loadAfterPage } from "../_components/load-after-page";
import { formatPercent, UsdAmount } from "../_components/money";
import type { TypedProps } from "./calculator";
import { computeYear, type readFields, WEEKS_PER_YEAR, type Year } from "./calculator-fields";

/** Only the dollar value waits for a price. */
const NetworkFeeShare = loadAfterPage(() => import("./network-fee-share").then((module) => module.NetworkFeeShare));

const FREQUENCIES = [
  ["each", "after each purchase"],
  ["weekly", "once a week, together"],
] as const;
type SavingFrequency = (typeof FREQUENCIES)[number][0];

interface Props extends TypedProps, Pick<ReturnType<typeof readFields>, "terms" | "yearInput"> {}

export function LandingPlans({ typed, onChange, errors, terms, yearInput }: Props) {
  const [frequency, setFrequency] = useState<SavingFrequency>("each");
  const computePlanYear = (choice: PreviewTerms["choice"]) =>
    terms && yearInput && computeYear({ ...terms, choice }, yearInput.perWeek, yearInput.purchasesUsd);
  return (
    <>
      <div className="grid gap-4 pt-4 md:grid-cols-2">
        <Field
          label="What you usually pay (optional)"
          placeholder="4.98  27.63  12.40"
          value={typed.typical}
          error={errors.typical}
          hint={
            typed.typical.trim() === ""
              ? "Left empty, the purchase above is repeated."
              : "These amounts are repeated through the year."
          }
          onChange={(text) => onChange({ typical: text })}
        />
        <SelectField
          label="You save"
          value={frequency}
          onChange={setFrequency}
          hint="Saving a week of purchases together costs one network fee."
          options={FREQUENCIES}
        />
      </div>
      <ul data-testid="plan-years" className="mt-6 grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {PLAN_LIST.map((plan) => (
          <PlanYear key={plan.plan} {...plan} year={computePlanYear(plan.plan)} frequency={frequency} />
        ))}
      </ul>
    </>
  );
}

interface PlanYearProps {
  name: string;
  roundToUsd: number;
  serviceFeePercent: number;
  year: Year | null;
  frequency: SavingFrequency;
}

function PlanYear({ name, roundToUsd, serviceFeePercent, year, frequency }: PlanYearProps) {
  const transferCount =
    year && (frequency === "weekly" ? Math.min(WEEKS_PER_YEAR, year.roundUpCount) : year.roundUpCount);
  const feeLamports = transferCount === null ? null : BigInt(transferCount) * ESTIMATED_FEE_LAMPORTS;
  return (
    <li className="rounded-2xl border border-line bg-card p-5">
      <h3 className="text-lg font-semibold">{name}</h3>
      <p className="text-soft">
        Up to the next <UsdAmount usd={roundToUsd} />
      </p>
      <p className="mt-4">
        <UsdAmount usd={year?.investedUsd} className="text-2xl font-semibold" />
        <span className="block text-sm text-soft">saved in a year, after the service fee</span>
      </p>
      <dl className="mt-4 space-y-2 border-t border-line pt-3 text-sm">
        <Cost label={`Service fee, ${formatPercent(serviceFeePercent / 100)}`}>
          <UsdAmount usd={year?.feeUsd} />
        </Cost>
        <Cost
          label="Network fees, about"
          note={feeLamports !== null && year && <NetworkFeeShare lamports={feeLamports} savedUsd={year.roundUpUsd} />}
        >
          <Sol lamports={feeLamports} />
        </Cost>
      </dl>
    </li>
  );
}

/** The note has its own line. Beside the amount it would take three. */
function Cost({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-2">
      <dt className="text-soft">{label}</dt>
      <dd className="text-right">{children}</dd>
      {note && <dd className="w-full text-right">{note}</dd>}
    </div>
  );
}
