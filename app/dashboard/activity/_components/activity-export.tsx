"use client";

import { useEffect, useRef, useState } from "react";
import { readHistory } from "@/app/_client/queries/activity";
import { readPath } from "@/app/_client/queries/calls";
import { QuietButton, SecondaryButton } from "@/app/_components/button";
import { downloadFile } from "@/app/_components/download";
import { Failure } from "@/app/_components/state-view";
import { formatTransactionCount } from "@/app/dashboard/_components/activity-words";
import { createActivityCsv } from "@/app/dashboard/activity/_components/activity-csv";
import type { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import { ApiError } from "@/lib/sdk/calls/api-error";

export function ActivityExport({ address, walletName }: { address: string; walletName: string }) {
  const [progressText, setProgressText] = useState<string | null>(null);
  const [doneText, setDoneText] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const controllerRef = useRef<AbortController | null>(null);
  useEffect(() => () => controllerRef.current?.abort(), []);

  const save = async () => {
    const controller = new AbortController();
    controllerRef.current = controller;
    setError(null);
    setDoneText(null);
    setProgressText("Reading the chain");
    try {
      const items = await readHistory(address, {
        signal: controller.signal,
        onProgress: (count) => setProgressText(`${formatTransactionCount(count)} read`),
      });
      const prices = await readPath<typeof getPriceHistoryContract>("/api/prices/history").catch(() => null);
      downloadFile(
        await createActivityCsv(items, prices?.series),
        "text/csv",
        `roundup-${walletName}-${new Date().toISOString().slice(0, 10)}.csv`,
      );
      setDoneText(`${formatTransactionCount(items.length)} saved`);
    } catch (failure) {
      if (controller.signal.aborted) return;
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setProgressText(null);
    }
  };

  return (
    <div className="flex flex-wrap items-center gap-3">
      <p role="status" className="text-sm text-soft empty:sr-only">
        {progressText ?? doneText}
      </p>
      {progressText && <QuietButton onClick={() => controllerRef.current?.abort()}>Cancel</QuietButton>}
      <SecondaryButton isBusy={progressText !== null} onClick={save}>
        Save all as CSV
      </SecondaryButton>
      {error && <Failure className="w-full" error={error} retry={save} title="The file could not be made" />}
    </div>
  );
}
