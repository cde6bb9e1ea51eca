"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { DEFAULT_PLAN } from "@/lib/domain/plans";
import { BASE_FEE_LAMPORTS } from "@/lib/solana/fees";
import { parseAmounts, readAmount } from "../_components/amount";
import { Badge } from "../_components/card";
import { Field, SelectField } from "../_components/field";
import { percentText, Sol, Usd } from "../_components/money";
import { PLAN_LIST } from "../_components/round-up";
import { type Year, yearOf } from "./year";

/** Dollars of SOL need a price, and a price needs the network: after everything else, and never instead of the SOL. */
const InDollars = dynamic(() => import("./price").then((module) => module.InDollars), { ssr: false });

const PER_WEEK = { min: 1, max: 500 } as const;

type Rhythm = "each" | "weekly";

/** What each plan would do with this person's own spending in a year. */
export function LandingPlans() {
  const [perWeek, setPerWeek] = useState("15");
  const [typical, setTypical] = useState("");
  const [rhythm, setRhythm] = useState<Rhythm>("each");

  const count = readAmount(perWeek, PER_WEEK);
  const whole = count.value !== null && Number.isInteger(count.value);
  const amounts = parseAmounts(typical);
  const years =
    whole && amounts ? PLAN_LIST.map((plan) => ({ ...plan, year: yearOf(plan.plan, count.value!, amounts) })) : null;

  return (
    <>
      <div className="grid gap-4 md:grid-cols-3">
        <Field
          label="Purchases a week"
          inputMode="numeric"
          autoComplete="off"
          value={perWeek}
          error={count.error ?? (whole ? null : "A whole number, please.")}
          onChange={(event) => setPerWeek(event.target.value)}
        />
        <Field
          label="What you usually pay (optional)"
          placeholder="4.98  27.63  12.40"
          autoComplete="off"
          value={typical}
          error={amounts ? null : "Write amounts with spaces between, like 4.98 27.63."}
          hint={
            typical.trim() === ""
              ? "Left empty, every price ending from .00 to .99 counts alike."
              : "These amounts are repeated through the year."
          }
          onChange={(event) => setTypical(event.target.value)}
        />
        <SelectField
          label="You save"
          value={rhythm}
          onChange={(event) => setRhythm(event.target.value as Rhythm)}
          hint="Saving a week of purchases together costs one network fee."
        >
          <option value="each">after each purchase</option>
          <option value="weekly">once a week, together</option>
        </SelectField>
      </div>
      <ul data-testid="plan-years" className="mt-6 grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {(years ?? PLAN_LIST.map((plan) => ({ ...plan, year: null }))).map((plan) => (
          <PlanYear key={plan.plan} {...plan} isDefault={plan.plan === DEFAULT_PLAN} rhythm={rhythm} />
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
  isDefault: boolean;
  rhythm: Rhythm;
}

function PlanYear({ name, roundToUsd, serviceFeePercent, year, isDefault, rhythm }: PlanYearProps) {
  const transfers = year && (rhythm === "weekly" ? Math.min(52, year.roundUps) : year.roundUps);
  const lamports = transfers === null ? null : BigInt(transfers) * BASE_FEE_LAMPORTS;
  return (
    <li className="rounded-2xl border border-line bg-card p-5">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-lg font-semibold">{name}</h3>
        {isDefault && <Badge tone="good">Default</Badge>}
      </div>
      <p className="text-soft">
        Up to the next <Usd value={roundToUsd} />
      </p>
      <p className="mt-4">
        <Usd value={year?.investedUsd} className="text-2xl font-semibold" />
        <span className="block text-sm text-soft">saved in a year, after the service fee</span>
      </p>
      <dl className="mt-4 space-y-2 border-t border-line pt-3 text-sm">
        <Cost label={`Service fee, ${percentText(serviceFeePercent / 100)}`}>
          <Usd value={year?.feeUsd} />
        </Cost>
        <Cost
          label="Network fees"
          note={lamports !== null && year && <InDollars lamports={lamports} ofUsd={year.roundUpUsd} />}
        >
          <Sol lamports={lamports} />
        </Cost>
      </dl>
    </li>
  );
}

/** The note takes a line of its own: beside the amount it would break into three. */
function Cost({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-2">
      <dt className="text-soft">{label}</dt>
      <dd className="text-right">{children}</dd>
      {note && <dd className="w-full text-right">{note}</dd>}
    </div>
  );
}
