"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useSave } from "@/app/_client/save";
import { Card } from "@/app/_components/card";
import { Segmented } from "@/app/_components/segmented";
import { SkeletonLines } from "@/app/_components/skeleton";
import { DEFAULT_CEILING_USD, DEFAULT_PLAN } from "@/lib/domain/plans";
import { GuardSettings } from "./guard-settings";
import { OnePurchase } from "./one-purchase";
import { SaveSheet } from "./save-sheet";
import { type Terms, TermsFields } from "./terms-fields";

/** Reading CSV files is only loaded for those who do. */
const ManyPurchases = dynamic(() => import("./many-purchases").then((module) => module.ManyPurchases), {
  ssr: false,
  loading: () => <SkeletonLines lines={5} label="Loading" />,
});

const MODES = [
  ["one", "One purchase"],
  ["many", "Many at once"],
] as const;

export function RoundUpPage() {
  const [mode, setMode] = useState<"one" | "many">("one");
  const [terms, setTerms] = useState<Terms>({
    choice: DEFAULT_PLAN,
    increment: "0.25",
    ceiling: DEFAULT_CEILING_USD.toFixed(2),
  });
  const save = useSave();

  return (
    <div className="space-y-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 className="text-2xl font-semibold sm:text-3xl">Round up</h1>
          <p className="mt-1 max-w-xl text-soft">
            Save the change of what you bought. You see every part before you sign.
          </p>
        </div>
        <Segmented label="How many purchases" options={MODES} value={mode} onChange={setMode} />
      </header>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card>
          <TermsFields terms={terms} onChange={setTerms} />
          <div className="mt-6 border-t border-line pt-6">
            {mode === "one" ? <OnePurchase terms={terms} save={save} /> : <ManyPurchases terms={terms} save={save} />}
          </div>
        </Card>
        <GuardSettings />
      </div>
      <SaveSheet save={save} />
    </div>
  );
}
