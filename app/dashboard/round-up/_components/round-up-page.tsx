"use client";

import { type RefObject, useRef, useState } from "react";
import { isPurchaseListWaiting } from "@/app/_client/local-storage/purchase-list";
import { type TypedTerms, useTerms } from "@/app/_client/local-storage/terms";
import { useCachedUnsavedCount, useOverview } from "@/app/_client/queries/overview";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { loadOnRender } from "@/app/_components/load-on-render";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { SkeletonLines } from "@/app/_components/skeleton";
import { ReadView } from "@/app/_components/state-view";
import { formatMissing } from "@/app/dashboard/_components/readiness";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import { countSavedPurchases } from "@/lib/sdk/flow/save";
import { GuardSettings } from "../../_saving/guards/guard-settings";
import { FromWallet } from "../../_saving/payments/from-wallet";
import { TopupChoice } from "../../_saving/topup/topup-choice";
import { SaveSheet, TopupSheet } from "../../_saving/wrap/sheets";
import { TermsFields } from "../../_saving/wrap/terms-fields";
import { type Save, useSave, useTopup } from "../../_saving/wrap/use-saving";
import { OnePurchase } from "./one-purchase";

const ManyPurchases = loadOnRender(
  () => import("./many-purchases").then((module) => module.ManyPurchases),
  () => <SkeletonLines lines={5} label="Loading" />,
);

const MODES = [
  ["wallet", "From my wallet"],
  ["one", "One purchase"],
  ["many", "List"],
] as const;
type Mode = (typeof MODES)[number][0];

function describeRemaining(unfinishedRecord: Save["unfinishedRecord"]): string {
  if (!unfinishedRecord) return "";
  const savedCount = countSavedPurchases(unfinishedRecord);
  const purchaseCount = unfinishedRecord.request.purchasesUsd.length;
  const savedText = savedCount > 0 ? `${savedCount} of ${purchaseCount} purchases are saved. ` : "";
  return unfinishedRecord.inFlight
    ? `${savedText}Nothing else is saved until then, so you never pay twice.`
    : `${savedText}You can continue where it stopped.`;
}

export function RoundUpPage() {
  const session = useReadySession();
  const { wallet } = session;
  const hasUnsaved = useCachedUnsavedCount(session) > 0;
  const [mode, setMode] = useState<Mode>(() =>
    isPurchaseListWaiting(wallet) ? "many" : hasUnsaved ? "wallet" : "one",
  );
  const [priceText, setPriceText] = useState("");
  const [storedTerms] = useTerms(wallet);
  // Terms that the person tries out here must not change the savings that other pages offer.
  const [changes, setChanges] = useState<Partial<TypedTerms>>({});
  const typedTerms = { ...storedTerms, ...changes };
  const save = useSave();
  const headingRef = useRef<HTMLHeadingElement>(null);
  const fields = (
    <TermsFields
      terms={typedTerms}
      onChange={(newChanges) => setChanges({ ...changes, ...newChanges })}
      scope="For this page only. Settings keep the plan of all other savings"
    />
  );
  return (
    <div className="space-y-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 ref={headingRef} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
            Save
          </h1>
          <p className="mt-1 max-w-xl text-balance text-soft">
            Save the change of your payments. You review every amount before you sign.
          </p>
        </div>
        <SegmentedControl label="What to round up" options={MODES} value={mode} onChange={setMode} />
      </header>
      <UnfinishedNote handle={save} title="A saving is not finished" text={describeRemaining(save.unfinishedRecord)} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card>
          {mode === "wallet" ? (
            <WalletPurchases save={save} />
          ) : mode === "one" ? (
            <OnePurchase {...{ typedTerms, save, fields, priceText, setPriceText }} />
          ) : (
            <ManyPurchases typedTerms={typedTerms} save={save} fields={fields} />
          )}
        </Card>
        <div className="space-y-6">
          <AddAmount finalFocus={headingRef} />
          <GuardSettings />
        </div>
      </div>
      <SaveSheet save={save} finalFocus={headingRef} />
    </div>
  );
}

function WalletPurchases({ save }: { save: Save }) {
  return (
    <ReadView
      read={useOverview(useReadySession())}
      failureTitle="Your payments cannot be read right now"
      loading={<SkeletonLines lines={5} label="Reading your payments" />}
    >
      {(overview) => <FromWallet overview={overview} save={save} />}
    </ReadView>
  );
}

function AddAmount({ finalFocus }: { finalFocus: RefObject<HTMLElement | null> }) {
  const topup = useTopup();
  const missingUsd = useReadiness()?.missingUsd ?? 0;
  return (
    <Card title="Add money">
      {missingUsd > 0 && <p className="mb-3 text-sm text-soft">{formatMissing(missingUsd)}.</p>}
      <TopupChoice topup={topup} missingUsd={missingUsd} variant="secondary" hidesPayChoice />
      <TopupSheet topup={topup} finalFocus={finalFocus} isForInvesting />
    </Card>
  );
}
