"use client";

import { type ReactNode, useEffect, useMemo } from "react";
import { EMPTY_LIST, type StoredList, useList } from "@/app/_client/local-storage/list";
import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Usd } from "@/app/_components/money";
import { EmptyState } from "@/app/_components/state-view";
import { BATCH_SIZE } from "@/lib/domain/limits";
import { roundToMicro } from "@/lib/domain/money";
import { readPurchases } from "@/lib/domain/purchases/read-purchases";
import { previewRoundUp, toRequestTerms } from "@/lib/sdk/preview-round-up";
import { GuardNotice, useGuardCheck } from "../../_saving/guards/guard-notice";
import { parseTypedTerms } from "../../_saving/wrap/terms-fields";
import type { Save } from "../../_saving/wrap/use-save";
import { DistanceToThreshold } from "./distance-to-threshold";
import { ListQuestions, readRates } from "./list-questions";
import { ListSource } from "./list-source";
import { PurchaseTable } from "./purchase-table";

/** Shows the round-up of each purchase in a list and saves the selected ones together. */
export function ManyPurchases({ typedTerms, save, fields }: { typedTerms: TypedTerms; save: Save; fields: ReactNode }) {
  const { wallet } = useReadySession();
  const [stored, changeList] = useList(wallet);
  const terms = parseTypedTerms(typedTerms);
  const { list, unsaved, rows, excluded } = useUnsavedRows(stored, terms);
  const included = rows.filter(({ purchase, result }) => !excluded.has(purchase.id) && !result.skipped);
  const totalUsd = roundToMicro(included.reduce((sum, { result }) => sum + result.roundUpUsd, 0));
  const investedUsd = roundToMicro(included.reduce((sum, { result }) => sum + result.investedUsd, 0));
  const largestUsd = Math.max(0, ...included.map(({ result }) => result.roundUpUsd));
  const blockReason = useGuardCheck(totalUsd, 0, largestUsd);
  const partCount = Math.ceil(included.length / BATCH_SIZE.max);

  const isAllSaved = list !== null && stored.saved.length > 0 && unsaved.length === 0;
  useEffect(() => {
    if (isAllSaved) changeList(EMPTY_LIST);
  }, [isAllSaved, changeList]);

  if (!list || isAllSaved) {
    return (
      <ListSource
        text={isAllSaved ? "" : stored.text}
        onText={(text) => changeList({ ...EMPTY_LIST, text })}
        onOpen={(csv) => changeList({ ...EMPTY_LIST, text: csv, open: true })}
      />
    );
  }
  const review = () => {
    if (!terms) return;
    const purchases = included.map(({ purchase }) => purchase.amountUsd);
    save.start(
      { purchases, ...toRequestTerms(terms) },
      included.map(({ purchase }) => purchase.id),
    );
  };
  return (
    <div className="space-y-5">
      {fields}
      <ListQuestions list={list} stored={stored} onChange={changeList} />
      {rows.length === 0 ? (
        <EmptyState title="No purchases to round up">
          {!terms
            ? "Correct the plan above first."
            : (list.unclear && !stored.decimal) || list.unclearLines.length > 0
              ? "Answer the question above first."
              : "Try another list."}
        </EmptyState>
      ) : (
        <Total
          savedCount={included.length}
          rowCount={rows.length}
          partCount={partCount}
          usd={totalUsd}
          investedUsd={investedUsd}
        />
      )}
      <GuardNotice reason={included.length > 0 ? blockReason : null} />
      <div className="flex flex-wrap gap-3 max-sm:*:w-full">
        <Button
          busy={save.state.phase === "building"}
          disabled={included.length === 0 || blockReason !== null || save.unfinishedRecord !== null}
          onClick={review}
        >
          Review and save together
        </Button>
        <Button variant="quiet" onClick={() => changeList(EMPTY_LIST)}>
          Another list
        </Button>
      </div>
      {rows.length > 0 && (
        <PurchaseTable
          rows={rows}
          excluded={excluded}
          onChange={(newExcluded) => changeList({ excluded: [...newExcluded] })}
        />
      )}
    </div>
  );
}

/** Returns the unsaved purchases of the list, each with its round-up. */
function useUnsavedRows(stored: StoredList, terms: ReturnType<typeof parseTypedTerms>) {
  const { text, open, spending, decimal, rates, amounts } = stored;
  const list = useMemo(
    () => (open ? readPurchases(text, { spending, decimal, rates: readRates(rates), amounts }) : null),
    [open, text, spending, decimal, rates, amounts],
  );
  // Leave out saved lines, so that another click cannot save them twice.
  const unsaved = useMemo(() => {
    const saved = new Set(stored.saved);
    return list?.purchases.filter(({ id }) => !saved.has(id)) ?? [];
  }, [list, stored.saved]);
  const rows = useMemo(
    () => (terms ? unsaved.map((purchase) => ({ purchase, result: previewRoundUp(purchase.amountUsd, terms) })) : []),
    [unsaved, terms],
  );
  const excluded = useMemo(
    () => new Set(stored.excluded ?? unsaved.filter(({ isDuplicate }) => isDuplicate).map(({ id }) => id)),
    [stored.excluded, unsaved],
  );
  return { list, unsaved, rows, excluded };
}

interface TotalProps {
  savedCount: number;
  rowCount: number;
  partCount: number;
  usd: number;
  investedUsd: number;
}

function Total({ savedCount, rowCount, partCount, usd, investedUsd }: TotalProps) {
  return (
    <div className="rounded-xl bg-raised px-4 py-3">
      <p aria-live="polite" data-testid="batch-total" className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span>
          {savedCount} of {rowCount} purchases have change to save
          {partCount > 1 && `, in ${partCount} parts with a signature each`}
        </span>
        <Usd value={usd} exact className="text-2xl font-semibold text-accent" />
      </p>
      <DistanceToThreshold addUsd={investedUsd} />
    </div>
  );
}
