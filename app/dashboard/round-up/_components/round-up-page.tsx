"use client";

import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { storedList } from "@/app/_client/local-storage/list";
import { useTerms } from "@/app/_client/local-storage/terms";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { Segmented } from "@/app/_components/segmented";
import { SkeletonLines } from "@/app/_components/skeleton";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import { savedCount } from "@/lib/sdk/flow/save";
import { GuardSettings } from "../../_saving/guards/guard-settings";
import { SaveSheet } from "../../_saving/wrap/sheets";
import { TermsFields } from "../../_saving/wrap/terms-fields";
import { type Save, useSave } from "../../_saving/wrap/use-save";
import { AddAmount } from "./add-amount";
import { OnePurchase } from "./one-purchase";
import { WalletPurchases } from "./wallet-purchases";

/** Loads the CSV reader only when it is used. */
const ManyPurchases = dynamic(() => import("./many-purchases").then((module) => module.ManyPurchases), {
  ssr: false,
  loading: () => <SkeletonLines lines={5} label="Loading" />,
});

const MODES = [
  ["wallet", "From my wallet"],
  ["one", "One purchase"],
  ["many", "List"],
] as const;
type Mode = (typeof MODES)[number][0];

/** Remounts when the account changes. */
export function RoundUpPage() {
  const { wallet } = useReadySession();
  return <RoundUp key={wallet} />;
}

function leftText(unfinished: NonNullable<Save["unfinished"]>): string {
  const [saved, all] = [savedCount(unfinished), unfinished.request.purchases.length];
  const part = saved > 0 ? `${saved} of ${all} purchases are saved. ` : "";
  return unfinished.inFlight
    ? `${part}Until it is known nothing else is saved from here, so that nothing is paid twice.`
    : `${part}You can go on where it stopped.`;
}

function RoundUp() {
  const { wallet } = useReadySession();
  const [mode, setMode] = useState<Mode>(() => (storedList(wallet).text ? "many" : "one"));
  const [terms, changeTerms] = useTerms(wallet);
  const save = useSave();
  const heading = useRef<HTMLHeadingElement>(null);
  const fields = <TermsFields terms={terms} onChange={changeTerms} />;
  return (
    <div className="space-y-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
            Round up
          </h1>
          <p className="mt-1 max-w-xl text-soft">
            Save the change of what you bought. You see every part before you sign.
          </p>
        </div>
        <Segmented label="What to round up" options={MODES} value={mode} onChange={setMode} />
      </header>
      {save.unfinished && (
        <UnfinishedNote
          record={save.unfinished}
          title="A round-up is not finished"
          left={leftText(save.unfinished)}
          onContinue={() => void save.flow.resume()}
          onDiscard={() => void save.flow.discard()}
        />
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card>
          {mode === "wallet" ? (
            <WalletPurchases save={save} />
          ) : mode === "one" ? (
            <OnePurchase terms={terms} save={save} fields={fields} />
          ) : (
            <ManyPurchases terms={terms} save={save} fields={fields} />
          )}
        </Card>
        <div className="space-y-6">
          <AddAmount finalFocus={heading} />
          <GuardSettings />
        </div>
      </div>
      <SaveSheet save={save} finalFocus={heading} />
    </div>
  );
}
