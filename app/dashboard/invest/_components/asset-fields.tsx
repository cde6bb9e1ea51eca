"use client";

import { useId } from "react";
import { usePrices } from "@/app/_client/queries/queries";
import { SecondaryButton } from "@/app/_components/button";
import { CoinLogo, getCoinColour } from "@/app/_components/coin-logo";
import { Field } from "@/app/_components/field";
import { formatPercent, UsdAmount } from "@/app/_components/money";
import { parsePercentBps } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { ChoiceCard } from "@/app/dashboard/_components/choice-card";
import type { Allocation } from "@/lib/domain/allocations";
import { ASSETS, type AssetSymbol, type PayAsset, TRADED_ASSETS, type TradedAsset } from "@/lib/domain/assets";

export type TypedPercents = Record<AssetSymbol, string>;

const ASSETS_IN_ORDER: readonly AssetSymbol[] = [...TRADED_ASSETS, "SOL"];

interface ParsedAllocation {
  /** The share of each asset; null where the text is not a share. */
  sharesBps: Record<AssetSymbol, number | null>;
  sumBps: number;
  fault: string | null;
  /** The shares that are not zero; null while there is a fault. */
  allocations: Allocation[] | null;
}

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
          <SecondaryButton onClick={keepRest} disabled={keptBps < 0} className="w-full px-2">
            Keep the rest
          </SecondaryButton>
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

const DESCRIPTIONS: Record<TradedAsset, string> = {
  BTC: "Bitcoin, as cbBTC",
  ETH: "Ether, through Portal",
  USDC: "US dollar, by Circle",
  USDT: "US dollar, by Tether",
};

interface AssetChoiceProps {
  payWith: PayAsset;
  value: AssetSymbol;
  onChange: (asset: TradedAsset) => void;
}

export function AssetChoice({ payWith, value, onChange }: AssetChoiceProps) {
  const groupName = useId();
  const { data } = usePrices();
  return (
    <fieldset>
      <legend className="sr-only">Target asset</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {TRADED_ASSETS.filter((asset) => asset !== payWith).map((asset) => (
          <ChoiceCard
            key={asset}
            name={groupName}
            title={ASSETS[asset].name}
            checked={value === asset}
            onChoose={() => onChange(asset)}
          >
            <span className="min-w-0 grow">
              <span className="flex items-center gap-2 font-medium">
                <CoinLogo asset={asset} />
                {asset}
              </span>
              <span className="block text-sm text-soft">{DESCRIPTIONS[asset]}</span>
            </span>
            <span className="shrink-0 text-sm text-soft">
              <UsdAmount usd={data?.prices[asset]} />
            </span>
          </ChoiceCard>
        ))}
      </div>
    </fieldset>
  );
}

const DOLLARS_OR_SOL = [
  ["USDC", "USDC (digital dollars)"],
  ["SOL", "SOL"],
] as const;

interface CoinChoiceProps {
  label: string;
  isSolOnly?: boolean;
  value: PayAsset;
  onChange: (asset: PayAsset) => void;
}

/** Lets the person choose what pays for an investment, or what a sale pays out. */
export const CoinChoice = ({ label, isSolOnly = false, value, onChange }: CoinChoiceProps) => (
  <div className="mt-5">
    <p aria-hidden="true" className="mb-1.5 text-sm font-medium">
      {label}
    </p>
    <SegmentedControl
      label={label}
      options={isSolOnly ? DOLLARS_OR_SOL.slice(1) : DOLLARS_OR_SOL}
      value={value}
      onChange={onChange}
    />
  </div>
);
