"use client";

import { useState } from "react";
import { SecondaryButton } from "@/app/_components/button";
import { formatCoins } from "@/app/_components/coins";
import { Field, SelectField } from "@/app/_components/field";
import { formatUsd } from "@/app/_components/money";
import { SegmentedControl } from "@/app/_components/segmented-control";
import type { KnownToken } from "@/lib/domain/assets";
import {
  buildPartRequest,
  chooseUnit,
  computeValueUsd,
  createPart,
  findPartFault,
  type HeldAsset,
  type Part,
  readPartAmount,
  replaceAmount,
  type Unit,
} from "./part";

interface Props {
  part: Part;
  heldAssets: HeldAsset[];
  error: string | null;
  onChange: (part: Part) => void;
}

export function usePart(heldAssets: HeldAsset[], initialAsset: KnownToken) {
  const [part, setPart] = useState(createPart(initialAsset));
  const [error, setError] = useState<string | null>(null);
  const onChange = (newPart: Part) => {
    setPart(newPart);
    setError(null);
  };
  /** Returns the asset and the amount for a request, or null when the field shows an error. */
  const readValidPart = () => {
    const fault = findPartFault(part, heldAssets);
    setError(fault);
    return fault === null ? buildPartRequest(part, heldAssets) : null;
  };
  return { part, error, onChange, readValidPart };
}

export function PartFields({ part, heldAssets, error, onChange }: Props) {
  const holding = heldAssets.find(({ asset }) => asset === part.asset);
  if (heldAssets.length === 0) {
    return <p className="mt-3 text-soft">Your coins can only be withdrawn all at once.</p>;
  }
  return (
    <div className="mt-5 grid gap-4 sm:grid-cols-[10rem_1fr]">
      <SelectField
        label="Asset"
        value={part.asset}
        onChange={(asset) => onChange({ ...createPart(asset), unit: part.unit })}
        options={heldAssets.map(({ asset }) => [asset, asset])}
      />
      {holding && <AmountField part={part} holding={holding} error={error} onChange={onChange} />}
    </div>
  );
}

const QUARTER_SHARES = [
  ["25 %", 1n],
  ["50 %", 2n],
  ["75 %", 3n],
  ["All", 4n],
] as const;

interface AmountProps extends Omit<Props, "heldAssets"> {
  holding: HeldAsset;
}

function AmountField({ part, holding, error, onChange }: AmountProps) {
  const unit = chooseUnit(part, holding);
  const amount = part.text.trim() === "" ? null : readPartAmount(part, holding);
  const unitOptions: (readonly [Unit, string])[] = holding.priceUsd ? [["usd", "$"]] : [];
  const switchUnit = (newUnit: Unit) =>
    onChange(amount === null ? { ...part, unit: newUnit, text: "" } : replaceAmount(part, holding, amount, newUnit));
  return (
    <div>
      <div className="flex items-start gap-2">
        <Field
          label="Amount"
          className="min-w-0 grow"
          inputMode="decimal"
          placeholder="0"
          prefix={unit === "usd" ? "$" : undefined}
          suffix={unit === "coins" ? part.asset : undefined}
          hint={<AmountHint amount={amount} unit={unit} holding={holding} />}
          error={error}
          value={part.text}
          onChange={(text) => onChange({ ...part, unit, text, exactAmount: null })}
        />
        <div className="mt-[1.65rem] shrink-0">
          <SegmentedControl
            label="Unit"
            options={[...unitOptions, ["coins", part.asset]]}
            value={unit}
            onChange={switchUnit}
          />
        </div>
      </div>
      <div className="mt-3 grid grid-cols-4 gap-2">
        {QUARTER_SHARES.map(([label, quarters]) => (
          <SecondaryButton
            key={label}
            className="whitespace-nowrap px-0"
            onClick={() => onChange(replaceAmount(part, holding, (holding.amount * quarters) / 4n))}
          >
            {label}
          </SecondaryButton>
        ))}
      </div>
    </div>
  );
}

/** Shows the typed amount in the other unit, and what is available. */
function AmountHint({ amount, unit, holding }: { amount: bigint | null; unit: Unit; holding: HeldAsset }) {
  const formatPartCoins = (baseUnits: bigint) => `${formatCoins(baseUnits, holding.decimals)} ${holding.asset}`;
  const worthUsd = computeValueUsd(holding.amount, holding);
  const typedUsd = amount === null ? null : computeValueUsd(amount, holding);
  return (
    <>
      {amount !== null && (unit === "usd" || typedUsd !== null) && (
        <span className="block text-ink" data-testid="part-converted">
          ≈ {unit === "usd" ? formatPartCoins(amount) : formatUsd(typedUsd!)}
        </span>
      )}
      {worthUsd === null
        ? formatPartCoins(holding.amount)
        : `${formatUsd(worthUsd)} (${formatPartCoins(holding.amount)})`}{" "}
      available
    </>
  );
}
