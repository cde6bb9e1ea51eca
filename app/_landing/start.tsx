"use client";

import { useEffect, useState } from "react";
import { browserStore, REMEMBERED_WALLET_KEY } from "@/app/_client/local-storage/browser-storage";
import { getButtonClasses } from "../_components/button-classes";
import { Badge } from "../_components/card";
import { formatUsd } from "../_components/money";

/** The page contains the links of both networks: `data-network` on the root element decides. */
export function LandingStart() {
  const label = useContinueLabel();
  const continueLink = label ? { href: "/dashboard", label } : null;
  return (
    <>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-sandbox">
        <DashboardLink {...(continueLink ?? { href: "/dashboard?play", label: "Try it with play money" })} />
        {!continueLink && <DashboardLink href="/dashboard" label="Use my own wallet" variant="secondary" />}
      </div>
      <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm text-soft only-sandbox">
        <Badge tone="warn">Sandbox</Badge>
        Play money only.
      </p>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-mainnet">
        <DashboardLink {...(continueLink ?? { href: "/dashboard", label: "Start saving" })} />
      </div>
    </>
  );
}

/** Keys of app/_client/wallet/stored-session.ts, whose code this page does not load. An address follows. */
const SERVICE_WALLET_PREFIX = "roundup-service-wallet:";
const NETWORK_PREFIX = "roundup-service-network:";

/** Returns the savings wallet that this browser used on this network. */
function findKnownSavings(): string | null {
  const { network } = document.documentElement.dataset;
  const key = browserStore
    .listKeys()
    .find(
      (name) =>
        name.startsWith(SERVICE_WALLET_PREFIX) &&
        browserStore.get(name.replace(SERVICE_WALLET_PREFIX, NETWORK_PREFIX)) === network,
    );
  return key === undefined ? null : browserStore.get(key);
}

/** Returns null without known savings, and a label without their value after the person has signed out. */
function useContinueLabel(): string | null {
  const [label, setLabel] = useState<string | null>(null);
  useEffect(() => {
    const address = findKnownSavings();
    if (!address) return;
    setLabel("Continue to your savings");
    if (browserStore.get(REMEMBERED_WALLET_KEY) === null) return;
    // Only returning people need the code that reads the total.
    void import("./savings-total")
      .then(({ readTotalUsd }) => readTotalUsd(address))
      .then((usd) => usd && setLabel(`Continue · ${formatUsd(usd)}`))
      .catch(() => {});
  }, []);
  return label;
}

const DashboardLink = ({ href, variant, label }: { href: string; variant?: "secondary"; label: string }) => (
  <a href={href} className={getButtonClasses(variant, "min-h-12 px-6 text-lg max-sm:w-full")}>
    {label}
  </a>
);
