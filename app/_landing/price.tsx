"use client";

import { usePlans, usePrices } from "@/app/_client/reads/reads";
import { fromMicroUsd, lamportsToMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { Badge } from "../_components/card";
import { percentText, Usd } from "../_components/money";
import { WayIn } from "./way-in";

/** Network fees above this share of what is saved deserve a word. */
const DEAR = 0.03;

/** What lamports are worth now and which share of `ofUsd` that is; nothing at all while no price is known. */
export function InDollars({ lamports, ofUsd }: { lamports: bigint; ofUsd: number }) {
  const { data } = usePrices();
  if (!data || ofUsd <= 0) return null;
  const usd = fromMicroUsd(lamportsToMicroUsd(lamports, toMicroUsd(data.prices.SOL)));
  const share = usd / ofUsd;
  return (
    <span className={`block ${share > DEAR ? "text-warn" : "text-soft"}`}>
      <Usd value={usd} /> or {share < 0.001 ? "less than 0.1 %" : percentText(share, 1)} of the change
      {share > DEAR && ": saving together costs less"}
    </span>
  );
}

/** Play money first, where there is some. */
export function StartLinks() {
  const { data } = usePlans();
  if (data?.network !== "sandbox") return <WayIn href="/dashboard" label="Start saving" />;
  return (
    <>
      <WayIn href="/dashboard?play" label="Try it with play money" />
      <WayIn href="/dashboard" label="Use my own wallet" look="secondary" />
    </>
  );
}

/** Says that nothing here costs real money, where that is so. */
export function NetworkNote() {
  const { data } = usePlans();
  if (data?.network !== "sandbox") return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <Badge tone="warn">Sandbox</Badge>
      Nothing to install, nothing to lose.
    </p>
  );
}
