"use client";

import { Button } from "@/app/_components/button";
import { getCoinColour } from "@/app/_components/coin-logo";
import { Field } from "@/app/_components/field";
import { formatPercent } from "@/app/_components/money";
import { parsePercentBps } from "@/app/_components/parse-amount";
import type { Allocation } from "@/lib/domain/allocations";
import { type AssetSymbol, type PayAsset, TRADED_ASSETS } from "@/lib/domain/assets";

/** The typed percentages by asset. */
export type TypedPercents = Record<AssetSymbol, string>;

const ASSETS_IN_ORDER: readonly AssetSymbol[] = [...TRADED_ASSETS, "SOL"];

interface ParsedAllocation {
  /** The share of each asset; null where the text is not a share. */
  sharesBps: Record<AssetSymbol, number | null>;
  /** The sum of the valid shares. */
  sumBps: number;
  /** Says why the shares cannot be used; null if they can. */
  fault: string | null;
  /** The shares that are not zero; null while there is a fault. */
  allocations: Allocation[] | null;
}

/** Formats an allocation as a person would type it. */
export function formatPercents(allocations: Allocation[]): TypedPercents {
  const typedByAsset = Object.fromEntries(allocations.map(({ asset, pct }) => [asset, String(pct)]));
  return { BTC: "", ETH: "", USDC: "", USDT: "", SOL: "", ...typedByAsset };
}

/** Parses the typed shares. They must sum to exactly 100, with at most two decimals each. */
export function parseAllocation(percents: TypedPercents, payWith: PayAsset): ParsedAllocation {
  const sharesBps = Object.fromEntries(
    ASSETS_IN_ORDER.map((asset) => [asset, parseShareBps(percents[asset])]),
  ) as ParsedAllocation["sharesBps"];
  const sumBps = ASSETS_IN_ORDER.reduce((total, asset) => total + (sharesBps[asset] ?? 0), 0);
  const allocations = ASSETS_IN_ORDER.flatMap((asset) =>
    sharesBps[asset] ? [{ asset, pct: sharesBps[asset] / 100 }] : [],
  );
  const fault = findAllocationFault(sharesBps, sumBps, allocations, payWith);
  return { sharesBps, sumBps, fault, allocations: fault === null ? allocations : null };
}

/** Parses a typed percentage with at most two decimals. Empty text is 0. Returns null for invalid text or above 100. */
function parseShareBps(text: string): number | null {
  if (text.trim() === "") return 0;
  const shareBps = parsePercentBps(text);
  return shareBps !== null && shareBps <= 10_000 ? shareBps : null;
}

function findAllocationFault(
  sharesBps: ParsedAllocation["sharesBps"],
  sumBps: number,
  allocations: Allocation[],
  payWith: PayAsset,
): string | null {
  if (ASSETS_IN_ORDER.some((asset) => sharesBps[asset] === null))
    return "Enter numbers from 0 to 100, with at most two decimals.";
  if (sumBps < 10_000) return `${formatPercent((10_000 - sumBps) / 10_000)} is not assigned yet.`;
  if (sumBps > 10_000) return `That is ${formatPercent((sumBps - 10_000) / 10_000)} over 100 %.`;
  return allocations.every(({ asset }) => asset === payWith)
    ? `All of it stays ${payWith}, so there is nothing to buy.`
    : null;
}

interface Props {
  percents: TypedPercents;
  onChange: (percents: TypedPercents) => void;
  /** The asset whose share is kept. */
  payWith: PayAsset;
  allocation: ParsedAllocation;
  /** True after the person tried to continue. Problems are then shown as errors. */
  isSubmitted: boolean;
}

/** Lets the person edit the share of each asset. The share of what pays stays in the savings wallet. */
export function AllocationFields({ percents, onChange, payWith, allocation, isSubmitted }: Props) {
  const { sharesBps, sumBps, fault } = allocation;
  // What the other assets leave for the kept one; negative when they are over 100 %.
  const keptBps = 10_000 - (sumBps - (sharesBps[payWith] ?? 0));
  const keepRest = () => onChange({ ...percents, [payWith]: keptBps > 0 ? String(keptBps / 100) : "" });
  return (
    <fieldset>
      <legend className="sr-only">Shares in percent</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {ASSETS_IN_ORDER.map((asset) => (
          <Field
            key={asset}
            label={asset === payWith ? `Keep as ${asset}` : asset}
            suffix="%"
            inputMode="decimal"
            placeholder="0"
            aria-invalid={sharesBps[asset] === null || (isSubmitted && fault !== null) || undefined}
            value={percents[asset]}
            onChange={(text) => onChange({ ...percents, [asset]: text })}
          />
        ))}
        <div className="flex items-end">
          <Button variant="secondary" onClick={keepRest} disabled={keptBps < 0} className="w-full px-2">
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
              width: `${((sharesBps[asset] ?? 0) * 100) / Math.max(10_000, sumBps)}%`,
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
