"use client";

import { useEffect, useState } from "react";
import { ButtonLink } from "../_components/button";
import { Badge } from "../_components/card";
import { usdText } from "../_components/money";
import { knownSavings, readTotal } from "./known-savings";

/**
 * Links into the dashboard. The page contains those of both networks; `data-network` on the root shows the right ones.
 * A returning person continues with their savings instead.
 */
export function LandingStart() {
  const label = useContinueLabel();
  const first = label ? { href: "/dashboard", label } : null;
  return (
    <>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-sandbox">
        <DashboardLink {...(first ?? { href: "/dashboard?play", label: "Try it with play money" })} />
        {!first && <DashboardLink href="/dashboard" label="Use my own wallet" variant="secondary" />}
      </div>
      <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm text-soft only-sandbox">
        <Badge tone="warn">Sandbox</Badge>
        Play money only.
      </p>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-mainnet">
        <DashboardLink {...(first ?? { href: "/dashboard", label: "Start saving" })} />
      </div>
    </>
  );
}

/** Returns "Continue" with the worth of savings that are not empty, or null when this browser knows no savings. */
function useContinueLabel(): string | null {
  const [label, setLabel] = useState<string | null>(null);
  useEffect(() => {
    const address = knownSavings(localStorage, document.documentElement.dataset.network);
    if (!address) return;
    setLabel("Continue");
    void readTotal(address).then((usd) => usd && setLabel(`Continue · ${usdText(usd)}`));
  }, []);
  return label;
}

interface Props {
  href: string;
  variant?: "secondary";
  label: string;
}

/** A large link to the dashboard. Does not prefetch the dashboard's code. */
const DashboardLink = ({ label, ...rest }: Props) => (
  <ButtonLink {...rest} prefetch={false} className="min-h-12 px-6 text-lg max-sm:w-full">
    {label}
  </ButtonLink>
);
