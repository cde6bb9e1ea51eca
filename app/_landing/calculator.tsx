import { RECOMMENDED_PLAN } from "@/lib/domain/plans";
import { PLAN_LIST, type PlanOrCustom, type RoundUpPreview } from "../../lib/sdk/preview-round-up";
import { AmountRow, Card } from "../_components/card";
import { DollarField, Field } from "../_components/field";
import { Fold } from "../_components/fold";
import { formatPercent, UsdAmount } from "../_components/money";
import type { CalculatorFields, readFields } from "./calculator-fields";

export interface TypedProps {
  typed: CalculatorFields;
  onChange: (changes: Partial<CalculatorFields>) => void;
  errors: ReturnType<typeof readFields>["errors"];
}

/** Uses the server's own arithmetic, without a request. */
export function LandingCalculator({
  typed,
  onChange,
  errors,
  preview,
}: TypedProps & { preview: RoundUpPreview | null }) {
  const bindField = (name: Exclude<keyof CalculatorFields, "choice">) => ({
    value: typed[name],
    error: errors[name],
    onChange: (text: string) => onChange({ [name]: text }),
  });
  return (
    <Card title="Try it with a purchase" className="shadow-sm">
      <div className="grid grid-cols-2 gap-4">
        <DollarField label="You pay" {...bindField("purchase")} />
        <Field label="Purchases a week" inputMode="numeric" {...bindField("perWeek")} />
      </div>
      <PlanChoice choice={typed.choice} onChoose={(choice) => onChange({ choice })} />
      {typed.choice === "custom" && (
        <DollarField className="mt-4" label="Round up to the next multiple of" {...bindField("increment")} />
      )}
      <Result preview={preview} />
      <Fold title="Set a limit" className="mt-4 -mb-1 border-t-0">
        <DollarField className="pt-2 pb-3" label="Save at most, per payment" {...bindField("ceiling")} />
      </Fold>
    </Card>
  );
}

function PlanChoice({ choice, onChoose }: { choice: PlanOrCustom; onChoose: (choice: PlanOrCustom) => void }) {
  const options = [
    ...PLAN_LIST.map(({ plan, name, roundToUsd }) => ({
      value: plan as PlanOrCustom,
      name,
      detail: <UsdAmount usd={roundToUsd} />,
    })),
    { value: "custom" as PlanOrCustom, name: "Custom", detail: "your step" },
  ];
  return (
    <fieldset className="mt-4">
      <legend className="mb-3 text-sm font-medium">Round up to the next</legend>
      <div className="grid grid-cols-3 gap-x-2 gap-y-3 min-[440px]:grid-cols-5">
        {options.map(({ value, name, detail }) => (
          <label
            key={value}
            className="relative flex min-h-14 last:max-[440px]:col-span-2 flex-col items-center justify-center rounded-xl border border-line-strong px-1 pt-2.5 pb-1.5 text-center text-sm has-checked:border-accent has-checked:bg-accent-wash has-checked:font-semibold has-checked:text-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="landing-plan"
              value={value}
              checked={choice === value}
              onChange={() => onChoose(value)}
              className="absolute inset-0 cursor-pointer appearance-none outline-none"
            />
            {value === RECOMMENDED_PLAN && (
              <span className="-top-2.5 absolute rounded-full bg-accent px-1.5 py-px font-semibold text-[0.6875rem] text-accent-ink">
                Recommended
              </span>
            )}
            <span>{name}</span>
            <span className="font-normal">{detail}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Result({ preview }: { preview: RoundUpPreview | null }) {
  return (
    <div
      data-testid="calculator-result"
      aria-live="polite"
      aria-atomic="true"
      className="mt-5 flex min-h-35 flex-col justify-center rounded-xl bg-raised px-4 py-3"
    >
      {preview === null ? (
        <p className="text-soft">Correct the amounts above and the change shows here.</p>
      ) : (
        <>
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span>
              Rounded to <UsdAmount usd={preview.roundedToUsd} isExact />, you save
            </span>
            <UsdAmount usd={preview.roundUpUsd} isExact className="text-2xl font-semibold text-accent" />
          </p>
          <Remark preview={preview} />
          {!preview.skipped && (
            <dl className="-mb-1 mt-1 text-[0.95rem]">
              <AmountRow label="Into your own wallet">
                <UsdAmount usd={preview.investedUsd} isExact />
              </AmountRow>
              <AmountRow label={`Service fee, ${formatPercent(preview.feePercent / 100)}`}>
                <UsdAmount usd={preview.feeUsd} isExact />
              </AmountRow>
            </dl>
          )}
        </>
      )}
    </div>
  );
}

function Remark({ preview }: { preview: RoundUpPreview }) {
  if (preview.skipped) {
    return (
      <p className="mt-1 text-soft">The price already is a full step, so nothing is saved and nothing is charged.</p>
    );
  }
  if (!preview.capped) return null;
  return <p className="mt-1 text-soft">The change would be more. Your limit cuts it.</p>;
}
