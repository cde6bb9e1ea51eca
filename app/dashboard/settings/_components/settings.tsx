"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import Link from "next/link";
import { useRef } from "react";
import { useWasAllowed } from "@/app/_client/local-storage/allowance";
import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { useTerms } from "@/app/_client/local-storage/terms";
import { useOverview } from "@/app/_client/queries/overview";
import { ASKS_FIRST_KEY, useAsksFirst } from "@/app/_client/wallet/approval";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { DollarField, SelectField } from "@/app/_components/field";
import { loadOnRender } from "@/app/_components/load-on-render";
import { Skeleton } from "@/app/_components/skeleton";
import { Switch } from "@/app/_components/switch";
import { ForgetBrowser } from "@/app/_onboarding/forget-browser";
import { EXPLORERS, type Explorer, useExplorer } from "@/app/dashboard/_components/explorer-link";
import { useAllowance } from "@/app/dashboard/_saving/allowance/use-allowance";
import { GuardSettings, useThresholdField } from "@/app/dashboard/_saving/guards/guard-settings";
import { PayWithField, usePayWith } from "@/app/dashboard/_saving/pay/pay-with";
import { TermsFields } from "@/app/dashboard/_saving/wrap/terms-fields";
import { getRecordKey } from "@/lib/sdk/flow/record";

export function Settings() {
  const session = useReadySession();
  const { wallet } = session;
  const [terms, changeTerms] = useTerms(wallet);
  const { payWith, isOffered } = usePayWith();
  const hasOwnSale = useStoredValue(getRecordKey("sell", wallet)) !== null;
  const { data: allowance } = useAllowance();
  const wasAllowed = useWasAllowed(wallet);
  // The card stays after the allowance has ended: it shows the receipt.
  const hadAllowanceRef = useRef(false);
  hadAllowanceRef.current ||= wasAllowed || allowance?.isServiceWallet === true;
  const unsavedUsd = useOverview(session).data?.spending?.batches.flatMap(({ txValuesUsd }) => txValuesUsd);
  return (
    <div className="space-y-6">
      <header>
        <h1 className="text-2xl font-semibold sm:text-3xl">Settings</h1>
        <p className="mt-1 text-soft">Saved in this browser, for this wallet.</p>
      </header>
      <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
        <div className="space-y-6">
          <Card title="How you round up">
            <TermsFields
              terms={terms}
              onChange={changeTerms}
              scope="Your choice is kept for all savings"
              valuesUsd={unsavedUsd}
            />
          </Card>
          <Card title="What you save from">
            <PayWithField isAlwaysShown />
            <p className="mt-3 text-sm text-soft">
              Your change is taken from this coin. Solana’s network fee is always paid in SOL.
            </p>
          </Card>
          {(payWith === "USDC" || hadAllowanceRef.current) && <AllowanceCard />}
          {(isOffered || hasOwnSale) && <SolCard />}
          <DemoWalletSettings />
          <ExplorerCard />
        </div>
        <div className="space-y-6">
          <Card title="When you invest">
            <DollarField
              label="Minimum to invest"
              hint="Smaller amounts cost too much in fees."
              {...useThresholdField()}
            />
            <p className="mt-3 text-sm text-soft">
              Auto-invest and the weekly top-up are on Home, under{" "}
              <Link href="/dashboard#automatic" className="text-accent underline">
                Automatic
              </Link>
              .
            </p>
          </Card>
          <GuardSettings />
          <ForgetBrowser />
        </div>
      </div>
      <Card title="Developers">
        <ul className="-my-2 divide-y divide-line">
          <SettingsLink
            href="/dashboard/keys"
            title="API keys"
            text="Let a script or an agent call the API for your wallet."
          />
          <SettingsLink href="/docs" title="Documentation" text="Every API call, with a console to try it." />
        </ul>
      </Card>
    </div>
  );
}

const AllowanceCard = loadOnRender(
  () => import("@/app/dashboard/_saving/allowance/allowance-card").then((module) => module.AllowanceCard),
  () => <Skeleton className="h-60 w-full rounded-2xl" />,
);

const SolCard = loadOnRender(
  () => import("@/app/dashboard/_saving/pay/sol-card").then((module) => module.SolCard),
  () => <Skeleton className="h-40 w-full rounded-2xl" />,
);

const EXPLORER_OPTIONS = Object.entries(EXPLORERS).map(([name, { title }]) => [name as Explorer, title] as const);

function ExplorerCard() {
  const { network } = useReadySession();
  const [explorer, changeExplorer] = useExplorer();
  return (
    <Card title="Block explorer">
      <SelectField
        label="Explorer"
        hint={
          network === "sandbox"
            ? "Used on mainnet. The sandbox has its own transaction page."
            : "Applies to every wallet in this browser."
        }
        value={explorer}
        onChange={changeExplorer}
        options={EXPLORER_OPTIONS}
      />
    </Card>
  );
}

function SettingsLink({ href, title, text }: { href: string; title: string; text: string }) {
  return (
    <li>
      <Link href={href} className="flex min-h-14 items-center justify-between gap-4 py-2">
        <span>
          <span className="block font-medium text-accent">{title}</span>
          <span className="block text-sm text-soft">{text}</span>
        </span>
        <Chevron className="-rotate-90 text-soft" />
      </Link>
    </li>
  );
}

function DemoWalletSettings() {
  const { wallet } = useWallet();
  const asksFirst = useAsksFirst();
  if (wallet?.adapter.name !== DEMO_WALLET_NAME) return null;
  return (
    <Card title="Demo wallet">
      <Switch
        label="Ask before each signature"
        isOn={asksFirst}
        onChange={() => storeValue(ASKS_FIRST_KEY, asksFirst ? null : true)}
      >
        Other wallets always ask. When off, the demo wallet signs automatically.
      </Switch>
    </Card>
  );
}
