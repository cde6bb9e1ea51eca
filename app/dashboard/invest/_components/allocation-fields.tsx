"use client";

import { Button } from "@/app/_components/button";
import { getCoinColour } from "@/app/_components/coin-logo";
import { Field } from "@/app/_components/field";
import { formatPercent } from "@/app/_components/money";
import { type AssetSymbol, TRADED_ASSETS } from "@/lib/domain/assets";
import type { Leg } from "@/lib/sdk/flow/invest";

/** The typed percentages by asset. */
export type Percents = Record<AssetSymbol, string>;

const ASSETS_IN_ORDER: readonly AssetSymbol[] = [...TRADED_ASSETS, "SOL"];

export interface Allocation {
  /** Shares in hundredths of a percent; null where the text is not a share. */
  shares: Record<AssetSymbol, number | null>;
  /** Sum of the shares, in hundredths of a percent. */
  sum: number;
  /** Why the shares cannot be used, or null. */
  fault: string | null;
  /** The shares that are not zero; null while there is a fault. */
  legs: Leg[] | null;
}

/** Formats shares as they would be typed. */
export function toPercents(legs: Leg[]): Percents {
  const typedByAsset = Object.fromEntries(legs.map(({ asset, pct }) => [asset, String(pct)]));
  return { BTC: "", ETH: "", USDC: "", USDT: "", SOL: "", ...typedByAsset };
}

/** Parses the typed shares. They must sum to exactly 100, with at most two decimals each. */
export function parseAllocation(percents: Percents): Allocation {
  const shares = Object.fromEntries(
    ASSETS_IN_ORDER.map((asset) => [asset, parseShare(percents[asset])]),
  ) as Allocation["shares"];
  const sum = ASSETS_IN_ORDER.reduce((total, asset) => total + (shares[asset] ?? 0), 0);
  const legs = ASSETS_IN_ORDER.flatMap((asset) => (shares[asset] ? [{ asset, pct: shares[asset] / 100 }] : []));
  const fault = findAllocationFault(shares, sum, legs);
  return { shares, sum, fault, legs: fault === null ? legs : null };
}

/** Parses a typed percentage into hundredths of a percent. Empty text is 0. Returns null for any other invalid text. */
function parseShare(text: string): number | null {
  const trimmedText = text.trim();
  if (trimmedText === "") return 0;
  if (!/^\d{1,3}([.,]\d{0,2})?$/.test(trimmedText)) return null;
  const share = Math.round(Number(trimmedText.replace(",", ".")) * 100);
  return share <= 10_000 ? share : null;
}

function findAllocationFault(shares: Allocation["shares"], sum: number, legs: Leg[]): string | null {
  if (ASSETS_IN_ORDER.some((asset) => shares[asset] === null))
    return "Enter numbers from 0 to 100, with at most two decimals.";
  if (sum < 10_000) return `${formatPercent((10_000 - sum) / 10_000)} is not assigned yet.`;
  if (sum > 10_000) return `That is ${formatPercent((sum - 10_000) / 10_000)} over 100 %.`;
  return legs.every(({ asset }) => asset === "SOL") ? "All of it stays SOL, so there is nothing to buy." : null;
}

interface Props {
  percents: Percents;
  onChange: (percents: Percents) => void;
  allocation: Allocation;
  /** True after the person tried to continue; problems are then shown as errors. */
  isSubmitted: boolean;
}

/** Edits the share of each asset. The share left to SOL stays in the savings wallet as SOL. */
export function AllocationFields({ percents, onChange, allocation, isSubmitted }: Props) {
  const { shares, sum, fault } = allocation;
  const restForSol = 10_000 - (sum - (shares.SOL ?? 0));
  const keepRest = () => onChange({ ...percents, SOL: restForSol > 0 ? String(restForSol / 100) : "" });
  return (
    <fieldset>
      <legend className="sr-only">Shares in percent</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {ASSETS_IN_ORDER.map((asset) => (
          <Field
            key={asset}
            label={asset === "SOL" ? "Keep as SOL" : asset}
            suffix="%"
            inputMode="decimal"
            placeholder="0"
            aria-invalid={shares[asset] === null || (isSubmitted && fault !== null) || undefined}
            value={percents[asset]}
            onChange={(text) => onChange({ ...percents, [asset]: text })}
          />
        ))}
        <div className="flex items-end">
          <Button variant="secondary" onClick={keepRest} disabled={restForSol < 0} className="w-full px-2">
            Keep the rest
          </Button>
        </div>
      </div>
      <div
        aria-hidden="true"
        className="mt-4 flex h-3 overflow-hidden rounded-full bg-raised ring-1 ring-line ring-inset"
      >
        {ASSETS_IN_ORDER.map((asset) => (
          <span
            key={asset}
            className="h-full"
            style={{
              width: `${((shares[asset] ?? 0) * 100) / Math.max(10_000, sum)}%`,
              background: getCoinColour(asset),
            }}
          />
        ))}
      </div>
      <p
        role="status"
        data-testid="allocation-sum"
        className={`mt-2 text-sm ${fault ? (isSubmitted ? "text-bad" : "text-warn") : "text-soft"}`}
      >
        {fault ?? "Adds up to 100 %."}
      </p>
    </fieldset>
  );
}
