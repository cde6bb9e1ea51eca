"use client";

import { type ReactNode, useEffect, useMemo } from "react";
import {
  EMPTY_PURCHASE_LIST,
  type StoredPurchaseList,
  usePurchaseList,
} from "@/app/_client/local-storage/purchase-list";
import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { UsdAmount } from "@/app/_components/money";
import { EmptyState } from "@/app/_components/state-view";
import { BATCH_SIZE_RANGE } from "@/lib/domain/limits";
import { roundToMicro } from "@/lib/domain/money";
import { readPurchases } from "@/lib/domain/purchases/read-purchases";
import { previewRoundUp, toRequestTerms } from "@/lib/sdk/preview-round-up";
import { GuardNotice, useGuardCheck } from "../../_saving/guards/guard-notice";
import { parseTypedTerms } from "../../_saving/wrap/terms-fields";
import type { Save } from "../../_saving/wrap/use-save";
import { DistanceToThreshold } from "./distance-to-threshold";
import { ListQuestions, parseRates } from "./list-questions";
import { ListSource } from "./list-source";
import { PurchaseTable } from "./purchase-table";

/** Shows the round-up of each purchase in a list and saves the selected ones together. */
export function ManyPurchases({ typedTerms, save, fields }: { typedTerms: TypedTerms; save: Save; fields: ReactNode }) {
  const { wallet } = useReadySession();
  const [storedList, changeList] = usePurchaseList(wallet);
  const terms = parseTypedTerms(typedTerms);
  const { purchaseList, unsavedPurchases, rows, excludedIds } = useUnsavedRows(storedList, terms);
  const includedRows = rows.filter(({ purchase, preview }) => !excludedIds.has(purchase.id) && !preview.skipped);
  const totalUsd = roundToMicro(includedRows.reduce((sum, { preview }) => sum + preview.roundUpUsd, 0));
  const investedUsd = roundToMicro(includedRows.reduce((sum, { preview }) => sum + preview.investedUsd, 0));
  const largestUsd = Math.max(0, ...includedRows.map(({ preview }) => preview.roundUpUsd));
  const blockReason = useGuardCheck(totalUsd, 0, largestUsd);

  const isAllSaved = purchaseList !== null && storedList.savedLines.length > 0 && unsavedPurchases.length === 0;
  useEffect(() => {
    if (isAllSaved) changeList(EMPTY_PURCHASE_LIST);
  }, [isAllSaved, changeList]);

  if (!purchaseList || isAllSaved) {
    return (
      <ListSource
        text={isAllSaved ? "" : storedList.text}
        onTextChange={(text) => changeList({ ...EMPTY_PURCHASE_LIST, text })}
        onOpen={(text) => changeList({ ...EMPTY_PURCHASE_LIST, text, isOpen: true })}
      />
    );
  }
  const openReview = () => {
    if (!terms) return;
    const purchases = includedRows.map(({ purchase }) => purchase.amountUsd);
    save.start(
      { purchases, ...toRequestTerms(terms) },
      includedRows.map(({ purchase }) => purchase.id),
    );
  };
  return (
    <div className="space-y-5">
      {fields}
      <ListQuestions purchaseList={purchaseList} storedList={storedList} onChange={changeList} />
      {rows.length === 0 ? (
        <EmptyState title="No purchases to round up">
          {!terms
            ? "Correct the plan above first."
            : (purchaseList.ambiguousAmount && !storedList.decimal) || purchaseList.unclearLines.length > 0
              ? "Answer the question above first."
              : "Try another list."}
        </EmptyState>
      ) : (
        <BatchTotal
          includedCount={includedRows.length}
          rowCount={rows.length}
          totalUsd={totalUsd}
          investedUsd={investedUsd}
        />
      )}
      <GuardNotice reason={includedRows.length > 0 ? blockReason : null} />
      <div className="flex flex-wrap gap-3 max-sm:*:w-full">
        <Button
          isBusy={save.state.phase === "building"}
          disabled={includedRows.length === 0 || blockReason !== null || save.unfinishedRecord !== null}
          onClick={openReview}
        >
          Review and save together
        </Button>
        <Button variant="quiet" onClick={() => changeList(EMPTY_PURCHASE_LIST)}>
          Another list
        </Button>
      </div>
      {rows.length > 0 && (
        <PurchaseTable
          rows={rows}
          excludedIds={excludedIds}
          onChange={(newExcludedIds) => changeList({ excludedLines: [...newExcludedIds] })}
        />
      )}
    </div>
  );
}

/** Returns the list, its unsaved purchases, a row with the round-up of each, and the ids that are not to be saved. */
function useUnsavedRows(storedList: StoredPurchaseList, terms: ReturnType<typeof parseTypedTerms>) {
  const { text, isOpen, spending, decimal, rates, amountByLine } = storedList;
  const purchaseList = useMemo(
    () =>
      isOpen
        ? readPurchases(text, { spendingSign: spending, decimal, rates: parseRates(rates), amounts: amountByLine })
        : null,
    [isOpen, text, spending, decimal, rates, amountByLine],
  );
  // Leave out saved lines, so that another click cannot save them twice.
  const unsavedPurchases = useMemo(() => {
    const savedIds = new Set(storedList.savedLines);
    return purchaseList?.purchases.filter(({ id }) => !savedIds.has(id)) ?? [];
  }, [purchaseList, storedList.savedLines]);
  const rows = useMemo(
    () =>
      terms
        ? unsavedPurchases.map((purchase) => ({ purchase, preview: previewRoundUp(purchase.amountUsd, terms) }))
        : [],
    [unsavedPurchases, terms],
  );
  const excludedIds = useMemo(
    () =>
      new Set(
        storedList.excludedLines ?? unsavedPurchases.filter(({ isDuplicate }) => isDuplicate).map(({ id }) => id),
      ),
    [storedList.excludedLines, unsavedPurchases],
  );
  return { purchaseList, unsavedPurchases, rows, excludedIds };
}

interface BatchTotalProps {
  includedCount: number;
  rowCount: number;
  totalUsd: number;
  investedUsd: number;
}

function BatchTotal({ includedCount, rowCount, totalUsd, investedUsd }: BatchTotalProps) {
  const partCount = Math.ceil(includedCount / BATCH_SIZE_RANGE.max);
  return (
    <div className="rounded-xl bg-raised px-4 py-3">
      <p aria-live="polite" data-testid="batch-total" className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span>
          {includedCount} of {rowCount} purchases have change to save
          {partCount > 1 && `, in ${partCount} parts with a signature each`}
        </span>
        <UsdAmount usd={totalUsd} isExact className="text-2xl font-semibold text-accent" />
      </p>
      <DistanceToThreshold addedUsd={investedUsd} />
    </div>
  );
}
