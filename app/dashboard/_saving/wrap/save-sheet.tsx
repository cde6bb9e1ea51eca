"use client";

import type { RefObject } from "react";
import { toPortfolioPath, useIsOutdated, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { UsdAmount } from "@/app/_components/money";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { computeKeptBackUsd } from "@/app/dashboard/_components/pending-card";
import { formatShortage } from "@/app/dashboard/_components/readiness";
import { useChosenPortfolio, useReadiness } from "@/app/dashboard/_components/use-readiness";
import { FlowResult, SavingsLink, toReceipts } from "@/app/dashboard/_flow/result";
import { BATCH_SIZE_RANGE } from "@/lib/domain/limits";
import { countSavedPurchases } from "@/lib/sdk/flow/save";
import { SavedNote } from "./save-breakdown";
import type { Save } from "./use-saving";
import { WrapSheet } from "./wrap-sheet";

const WORDS = {
  runningTitle: "Saving",
  doneTitle: "Saved",
  confirmLabel: "Sign and save",
  failedTitle: "Nothing was saved",
};

const FEE_BASE = "the change";

export function SaveSheet({ save, finalFocus }: { save: Save; finalFocus: RefObject<HTMLElement | null> }) {
  return (
    <WrapSheet
      {...save}
      words={WORDS}
      finalFocus={finalFocus}
      headContent={<PartProgress record={save.state.record} />}
      feeBase={FEE_BASE}
      doneContent={<SaveResult save={save} />}
    />
  );
}

function PartProgress({ record }: { record: Save["state"]["record"] }) {
  const purchaseCount = record?.request.purchasesUsd.length ?? 0;
  if (!record || purchaseCount <= BATCH_SIZE_RANGE.max) return null;
  const savedCount = countSavedPurchases(record);
  const lastPurchaseInPart = Math.min(savedCount + BATCH_SIZE_RANGE.max, purchaseCount);
  return (
    <div data-testid="save-part">
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">
          Part {Math.ceil(lastPurchaseInPart / BATCH_SIZE_RANGE.max)} of{" "}
          {Math.ceil(purchaseCount / BATCH_SIZE_RANGE.max)}
        </span>
        <span className="text-soft">
          purchases {savedCount + 1} to {lastPurchaseInPart} of {purchaseCount}
        </span>
      </p>
      <div aria-hidden="true" className="mt-2 h-1.5 overflow-hidden rounded-full bg-raised">
        <div className="h-full rounded-full bg-accent" style={{ width: `${(savedCount * 100) / purchaseCount}%` }} />
      </div>
    </div>
  );
}

function SaveResult({ save: { flow, state } }: { save: Save }) {
  const portfolio = useChosenPortfolio();
  const landedParts = state.record?.done ?? [];
  const { serviceWallet } = useReadySession();
  // The balance from before this saving would say that more is missing than is.
  const isOutdated = useIsOutdated(toPortfolioPath(serviceWallet));
  const { error } = usePortfolio(serviceWallet);
  const isUpdating = isOutdated && !error;
  const newReadiness = useReadiness();
  const readiness = isOutdated ? null : newReadiness;
  const isReady = readiness?.isReady === true;
  return (
    <FlowResult
      receipts={toReceipts(EVENT_NAMES.saved, landedParts)}
      onClose={flow.close}
      nextAction={
        // Separate elements, so that React replaces them: a click that began on one must not follow another.
        <>
          {isUpdating && <Button isBusy>Updating…</Button>}
          {!isUpdating && isReady && <ButtonLink href="/dashboard/invest?now">Invest now</ButtonLink>}
          {!isUpdating && !isReady && <SavingsLink />}
        </>
      }
    >
      <SavedNote records={landedParts.map(({ about }) => about)} by={state.record?.request.by} feeBase={FEE_BASE}>
        {isReady && (
          <p>
            <UsdAmount usd={portfolio?.investableUsd} /> ready to invest.{" "}
            <UsdAmount usd={portfolio && computeKeptBackUsd(portfolio)} /> stays for account deposits and fees.
          </p>
        )}
        {readiness && !isReady && <p>{formatShortage(readiness)}.</p>}
      </SavedNote>
    </FlowResult>
  );
}
