"use client";

import { type ReactNode, useEffect, useMemo } from "react";
import { recallListChoices, rememberListChoices } from "@/app/_client/local-storage/list-choices";
import {
  EMPTY_PURCHASE_LIST,
  type StoredPurchaseList,
  usePurchaseList,
} from "@/app/_client/local-storage/purchase-list";
import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, QuietButton } from "@/app/_components/button";
import { UsdAmount } from "@/app/_components/money";
import { parseAmounts } from "@/app/_components/parse-amount";
import { EmptyState } from "@/app/_components/state-view";
import { PayWithField, usePayWith } from "@/app/dashboard/_saving/pay/pay-with";
import { BATCH_SIZE_RANGE } from "@/lib/domain/limits";
import { fromMicroUsd, roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { guessChoices } from "@/lib/domain/purchases/guess-choices";
import { type Purchase, readPurchases } from "@/lib/domain/purchases/read-purchases";
import { parseTable } from "@/lib/domain/purchases/read-table";
import { previewRoundUp, toSavingTerms } from "@/lib/sdk/preview-round-up";
import { GuardNotice, useGuardCheck } from "../../_saving/guards/guard-notice";
import { parseTypedTerms } from "../../_saving/wrap/terms-fields";
import type { Save } from "../../_saving/wrap/use-saving";
import { LeftOutRows, ListColumns } from "./list-columns";
import { ListSource } from "./list-source";
import { DistanceToThreshold } from "./one-purchase";
import { PurchaseTable } from "./purchase-table";

interface Props {
  typedTerms: TypedTerms;
  save: Save;
  fields: ReactNode;
}

/** Takes a list of purchases, lets the person confirm how it is read, and saves the selected ones together. */
export function ManyPurchases(props: Props) {
  const { wallet } = useReadySession();
  const [storedList, changeList] = usePurchaseList(wallet);
  const { file, purchases } = useOpenList(storedList);
  // Leave out saved lines, so that another click cannot save them twice.
  const unsavedPurchases = useMemo(() => {
    const savedIds = new Set(storedList.savedLines);
    return purchases?.filter(({ id }) => !savedIds.has(id)) ?? null;
  }, [purchases, storedList.savedLines]);
  const isAllSaved = unsavedPurchases?.length === 0 && storedList.savedLines.length > 0;
  useEffect(() => {
    if (isAllSaved) changeList(EMPTY_PURCHASE_LIST);
  }, [isAllSaved, changeList]);
  const startAgain = () => changeList(EMPTY_PURCHASE_LIST);

  if (!storedList.isOpen || isAllSaved) {
    return (
      <ListSource
        text={isAllSaved ? "" : storedList.text}
        onTextChange={(text) => changeList({ ...EMPTY_PURCHASE_LIST, text })}
        onOpen={(text) => changeList({ ...EMPTY_PURCHASE_LIST, text, isOpen: true })}
      />
    );
  }
  if (file && !unsavedPurchases) {
    const confirmChoices = () => {
      rememberListChoices(file.table, file.choices);
      changeList({ choices: file.choices, isConfirmed: true });
    };
    return (
      <ListColumns
        {...file}
        onChange={(choices) => changeList({ choices, excludedLines: null })}
        onConfirm={confirmChoices}
        onCancel={startAgain}
      />
    );
  }
  return (
    <PurchaseBatch
      {...props}
      purchases={unsavedPurchases ?? []}
      excludedLines={storedList.excludedLines}
      onExclude={(excludedLines) => changeList({ excludedLines })}
      leftOutRows={file && <LeftOutRows readings={file.readings} />}
      otherActions={
        <>
          {file && <QuietButton onClick={() => changeList({ isConfirmed: false })}>Change the columns</QuietButton>}
          <QuietButton onClick={startAgain}>Another list</QuietButton>
        </>
      }
    />
  );
}

interface PurchaseBatchProps extends Props {
  purchases: Purchase[];
  /** Null until the person changes the selection; until then, duplicates are excluded. */
  excludedLines: number[] | null;
  onExclude: (excludedLines: number[]) => void;
  leftOutRows: ReactNode;
  otherActions: ReactNode;
}

function PurchaseBatch({ typedTerms, save, fields, purchases, ...props }: PurchaseBatchProps) {
  const terms = parseTypedTerms(typedTerms);
  const rows = useMemo(
    () =>
      terms
        ? purchases.map((purchase) => ({ purchase, preview: previewRoundUp(fromMicroUsd(purchase.microUsd), terms) }))
        : [],
    [purchases, terms],
  );
  const { isUnsigned } = usePayWith();
  const duplicateIds = purchases.filter(({ isDuplicate }) => isDuplicate).map(({ id }) => id);
  const excludedIds = new Set(props.excludedLines ?? duplicateIds);
  const includedRows = rows.filter(({ purchase, preview }) => !excludedIds.has(purchase.id) && !preview.skipped);
  const totalUsd = roundToMicro(includedRows.reduce((sum, { preview }) => sum + preview.roundUpUsd, 0));
  const investedUsd = roundToMicro(includedRows.reduce((sum, { preview }) => sum + preview.investedUsd, 0));
  const largestUsd = Math.max(0, ...includedRows.map(({ preview }) => preview.roundUpUsd));
  const blockReason = useGuardCheck(totalUsd, 0, largestUsd);
  const openReview = () => {
    if (!terms) return;
    const purchasesUsd = includedRows.map(({ purchase }) => fromMicroUsd(purchase.microUsd));
    const lineNumbers = includedRows.map(({ purchase }) => purchase.id);
    save.start({ purchasesUsd, ...toSavingTerms(terms) }, lineNumbers);
  };
  return (
    <div className="space-y-5">
      {fields}
      <PayWithField />
      {props.leftOutRows}
      {rows.length === 0 ? (
        <EmptyState title="No purchases to round up">
          {terms ? "Try another list." : "Correct the plan above first."}
        </EmptyState>
      ) : (
        <BatchTotal {...{ totalUsd, investedUsd }} includedCount={includedRows.length} rowCount={rows.length} />
      )}
      <GuardNotice reason={includedRows.length > 0 ? blockReason : null} />
      <div className="flex flex-wrap gap-3 max-sm:*:w-full">
        <Button
          isBusy={save.state.phase === "building"}
          disabled={includedRows.length === 0 || blockReason !== null || save.unfinishedRecord !== null}
          onClick={openReview}
        >
          {isUnsigned(totalUsd) ? "Save together without signing" : "Review and save together"}
        </Button>
        {props.otherActions}
      </div>
      {rows.length > 0 && (
        <PurchaseTable rows={rows} excludedIds={excludedIds} onChange={(newIds) => props.onExclude([...newIds])} />
      )}
    </div>
  );
}

/** Reads the open list. A file has purchases once the person has confirmed its columns; `purchases` is null before. */
function useOpenList({ text, isOpen, choices: chosen, isConfirmed }: StoredPurchaseList) {
  const amounts = useMemo(() => (isOpen ? parseAmounts(text) : null), [text, isOpen]);
  const table = useMemo(() => (isOpen && !amounts ? parseTable(text) : null), [text, isOpen, amounts]);
  const firstChoices = useMemo(() => table && (recallListChoices(table) ?? guessChoices(table)), [table]);
  const choices = chosen ?? firstChoices;
  const readings = useMemo(() => (table && choices ? readPurchases(table, choices) : []), [table, choices]);
  const purchases = useMemo(
    () => amounts?.map(toPurchase) ?? (isConfirmed ? readings.flatMap(({ purchase }) => purchase ?? []) : null),
    [amounts, readings, isConfirmed],
  );
  return { file: table && choices && { table, choices, readings }, purchases };
}

function toPurchase(usd: number, i: number): Purchase {
  return { id: i + 1, date: "", description: "", microUsd: toMicroUsd(usd), isDuplicate: false };
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
