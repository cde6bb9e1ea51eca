"use client";

import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { DollarField, SelectField } from "@/app/_components/field";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { CEILING_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";
import { PLANS } from "@/lib/domain/plans";
import { PLAN_LIST, type PlanOrCustom, type PreviewTerms } from "@/lib/sdk/preview-round-up";

/** Parses the typed settings. Returns null while a setting is invalid; its field shows the error. */
export function parseTypedTerms({ choice, increment, ceiling, multiplier }: TypedTerms): PreviewTerms | null {
  const typedIncrement = parseAmountInRange(increment, ROUND_TO_USD_RANGE);
  const typedCeiling = parseAmountInRange(ceiling, CEILING_USD_RANGE);
  if (typedCeiling.value === null || (choice === "custom" && typedIncrement.value === null)) return null;
  // Only the custom choice uses the increment.
  return { choice, incrementUsd: typedIncrement.value ?? 0, ceilingUsd: typedCeiling.value, multiplier };
}

const MULTIPLIERS = ["1", "2", "3", "5", "10"] as const;

interface Props {
  terms: TypedTerms;
  onChange: (changes: Partial<TypedTerms>) => void;
}

/** Lets the person choose the factor by which the change is multiplied. */
export function MultiplierField({ terms, onChange }: Props) {
  const chosenOption = MULTIPLIERS.find((times) => Number(times) === terms.multiplier) ?? null;
  return (
    <div>
      <span aria-hidden="true" className="mb-1.5 block text-sm font-medium">
        Multiply
      </span>
      <SegmentedControl
        label="Multiply the change"
        options={MULTIPLIERS.map((times) => [times, `×${times}`])}
        value={chosenOption}
        onChange={(times) => onChange({ multiplier: Number(times) })}
      />
    </div>
  );
}

/** Returns the largest change of one purchase, USD: the plan's step, or the ceiling where that is lower. */
const computeLargestChangeUsd = ({ choice, incrementUsd, ceilingUsd }: PreviewTerms): number =>
  Math.min(ceilingUsd, choice === "custom" ? incrementUsd : PLANS[choice].roundToUsd);

const PLAN_OPTIONS: [PlanOrCustom, string][] = [
  ...PLAN_LIST.map(({ plan, name, roundToUsd, serviceFeePercent }): [PlanOrCustom, string] => [
    plan,
    `${name}: next ${formatUsd(roundToUsd)}, fee ${formatPercent(serviceFeePercent / 100)}`,
  ]),
  ["custom", "Custom: your own step"],
];

interface TermsFieldsProps extends Props {
  /** Says for which savings the choice counts. */
  scope: string;
}

/** Edits the plan, the ceiling, the multiplier and the custom step. */
export function TermsFields({ terms, onChange, scope }: TermsFieldsProps) {
  const parsedTerms = parseTypedTerms(terms);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Plan"
        hint={`${scope}. The fee is a percentage of the change.`}
        value={terms.choice}
        onChange={(choice) => onChange({ choice })}
        options={PLAN_OPTIONS}
      />
      <DollarField
        label={terms.multiplier > 1 ? "Change per purchase, at most" : "Save at most, per purchase"}
        value={terms.ceiling}
        hint={
          terms.multiplier > 1 &&
          parsedTerms &&
          `×${terms.multiplier} saves up to ${formatUsd(computeLargestChangeUsd(parsedTerms) * terms.multiplier)}`
        }
        error={parseAmountInRange(terms.ceiling, CEILING_USD_RANGE).error}
        onChange={(text) => onChange({ ceiling: text })}
      />
      <MultiplierField terms={terms} onChange={onChange} />
      {terms.choice === "custom" && (
        <DollarField
          label="Round up to the next multiple of"
          hint="The fee is that of the next smaller plan"
          value={terms.increment}
          error={parseAmountInRange(terms.increment, ROUND_TO_USD_RANGE).error}
          onChange={(text) => onChange({ increment: text })}
        />
      )}
    </div>
  );
}
