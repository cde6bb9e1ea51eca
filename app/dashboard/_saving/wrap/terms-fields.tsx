"use client";

import {
  BIG_STEPS,
  BIG_STEPS_USD,
  type BigStep,
  type TermsChoice,
  type TypedTerms,
} from "@/app/_client/local-storage/terms";
import { DollarField, SelectField } from "@/app/_components/field";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { CEILING_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";
import { sumUsd } from "@/lib/domain/money";
import { PLANS } from "@/lib/domain/plans";
import { sumRoundUpsUsd } from "@/lib/sdk/amounts";
import { describeShare } from "@/lib/sdk/describe-payments";
import { PLAN_LIST, type PreviewTerms, previewRoundUp, toSavingTerms } from "@/lib/sdk/preview-round-up";

/** A step that is bigger than those of the plans. It is saved as a custom one. */
const isBigStep = (choice: TermsChoice): choice is BigStep => choice in BIG_STEPS_USD;

/** Parses the typed settings. Returns null while a setting is invalid; its field shows the error. */
export function parseTypedTerms({ choice, increment, ceiling, multiplier }: TypedTerms): PreviewTerms | null {
  const typedIncrement = parseAmountInRange(increment, ROUND_TO_USD_RANGE);
  const typedCeiling = parseAmountInRange(ceiling, CEILING_USD_RANGE);
  if (typedCeiling.value === null) return null;
  const ceilingUsd = typedCeiling.value;
  if (isBigStep(choice)) return { choice: "custom", incrementUsd: BIG_STEPS_USD[choice], ceilingUsd, multiplier };
  if (choice === "custom" && typedIncrement.value === null) return null;
  // Only the custom choice uses the increment.
  return { choice, incrementUsd: typedIncrement.value ?? 0, ceilingUsd, multiplier };
}

const MULTIPLIERS = ["1", "2", "3", "5", "10"] as const;

interface Props {
  terms: TypedTerms;
  onChange: (changes: Partial<TypedTerms>) => void;
}

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

const PLAN_OPTIONS: [TermsChoice, string][] = [
  ...PLAN_LIST.map(({ plan, name, roundToUsd, serviceFeePercent }): [TermsChoice, string] => [
    plan,
    `${name}: next ${formatUsd(roundToUsd)}, fee ${formatPercent(serviceFeePercent / 100)}`,
  ]),
  ...BIG_STEPS.map((step): [TermsChoice, string] => {
    const incrementUsd = BIG_STEPS_USD[step];
    const { feePercent } = previewRoundUp(0, { choice: "custom", incrementUsd, ceilingUsd: incrementUsd });
    return [step, `Next ${formatUsd(incrementUsd)}, fee ${formatPercent(feePercent / 100)}`];
  }),
  ["custom", "Custom: your own step"],
];

/** Returns the changes that make a choice. A big step sets the ceiling, which would cut its change otherwise. */
const toChanges = (choice: TermsChoice): Partial<TypedTerms> =>
  isBigStep(choice) ? { choice, ceiling: BIG_STEPS_USD[choice].toFixed(2) } : { choice };

/** Lists the options, each with the share of these values that it saves. Leaves out unknown shares. */
export const listOptions = (typedTerms: TypedTerms, valuesUsd: readonly number[]): [TermsChoice, string][] =>
  PLAN_OPTIONS.map(([choice, text]) => {
    // The choice that counts now may have a ceiling that was typed after it was made.
    const changes = choice === typedTerms.choice ? {} : toChanges(choice);
    const share = describeSavedShare(parseTypedTerms({ ...typedTerms, ...changes }), valuesUsd);
    return [choice, share ? `${text}, ${share}` : text];
  });

const describeSavedShare = (terms: PreviewTerms | null, valuesUsd: readonly number[]): string | null =>
  terms && describeShare(sumRoundUpsUsd(valuesUsd, toSavingTerms(terms)), sumUsd(valuesUsd));

interface TermsFieldsProps extends Props {
  /** Says for which savings the choice counts. */
  scope: string;
  /** The values of recent payments, USD, if they are known. Each choice then names the share that it saves. */
  valuesUsd?: readonly number[];
}

export function TermsFields({ terms, onChange, scope, valuesUsd = [] }: TermsFieldsProps) {
  const parsedTerms = parseTypedTerms(terms);
  // The hint repeats the share, because a narrow field cuts the end of the chosen option.
  const share = describeSavedShare(parsedTerms, valuesUsd);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Plan"
        hint={`${scope}. The fee is a percentage of the change.${share ? ` It ${share}.` : ""}`}
        value={terms.choice}
        onChange={(choice) => onChange(toChanges(choice))}
        options={listOptions(terms, valuesUsd)}
      />
      <DollarField
        label={terms.multiplier > 1 ? "Change per payment, at most" : "Save at most, per payment"}
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
