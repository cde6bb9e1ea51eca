"use client";

import { Button } from "@/app/_components/button";
import { Field, SelectField } from "@/app/_components/field";
import { coinsText, exactCoinsText } from "@/app/_components/money";
import { type HeldAsset, readAmount } from "@/app/dashboard/_components/held-assets";
import type { AssetSymbol } from "@/lib/domain/assets";
import { decimalText } from "@/lib/domain/money";

export interface Part {
  asset: AssetSymbol;
  /** Amount in coins, as typed. */
  text: string;
}

/** Returns the reason why this part cannot be withdrawn, or null when it can. */
export function faultOfPart({ asset, text }: Part, held: HeldAsset[]): string | null {
  const found = held.find((one) => one.asset === asset);
  if (!found) return `There is no ${asset} in your savings wallet.`;
  if (text.trim() === "") return "Type an amount, or take all of it.";
  const amount = readAmount(text, found.decimals);
  if (amount === null) return `An amount of ${asset}, with at most ${found.decimals} decimals.`;
  if (amount === 0n) return "More than nothing.";
  return amount > found.amount ? `You have ${exactCoinsText(found.amount, found.decimals)} ${asset}.` : null;
}

/** Converts a valid part into a request. The full amount is sent as null, so that exactly nothing remains. */
export function readPart({ asset, text }: Part, held: HeldAsset[]): { asset: AssetSymbol; amount: string | null } {
  const found = held.find((one) => one.asset === asset)!;
  const amount = readAmount(text, found.decimals)!;
  return { asset, amount: amount === found.amount ? null : amount.toString() };
}

interface Props {
  part: Part;
  held: HeldAsset[];
  error: string | null;
  onChange: (part: Part) => void;
}

export function PartFields({ part, held, error, onChange }: Props) {
  const found = held.find(({ asset }) => asset === part.asset);
  if (held.length === 0) {
    return <p className="mt-3 text-soft">What is in there can only be taken out as a whole.</p>;
  }
  return (
    <div className="mt-5 grid gap-4 sm:grid-cols-[10rem_1fr]">
      <SelectField
        label="Asset"
        value={part.asset}
        onChange={(event) => onChange({ asset: event.target.value as AssetSymbol, text: "" })}
      >
        {held.map(({ asset }) => (
          <option key={asset} value={asset}>
            {asset}
          </option>
        ))}
      </SelectField>
      <div className="flex items-start gap-2">
        <Field
          label="Amount"
          className="min-w-0 grow"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          suffix={part.asset}
          hint={found && `${coinsText(found.amount, found.decimals)} ${part.asset} available`}
          error={error}
          value={part.text}
          onChange={(event) => onChange({ ...part, text: event.target.value })}
        />
        {found && (
          <Button
            variant="secondary"
            className="mt-[1.65rem] shrink-0 whitespace-nowrap"
            onClick={() => onChange({ ...part, text: decimalText(found.amount, found.decimals) })}
          >
            All of it
          </Button>
        )}
      </div>
    </div>
  );
}
