"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type ActivityItem, readHistory, useActivity } from "@/app/_client/queries/activity";
import { readPath } from "@/app/_client/queries/calls";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink, QuietButton, SecondaryButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { downloadFile } from "@/app/_components/download";
import { Field, SelectField } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { FailureInView } from "@/app/_components/in-view";
import { KeepFocus } from "@/app/_components/keep-focus";
import { removeInvisible } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { EmptyState, Failure, StaleNote } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "@/app/dashboard/_components/activity-list";
import { formatTransactionCount, getTypeNames, type Viewpoint } from "@/app/dashboard/_components/activity-words";
import type { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { TX_SIGNATURE_PATTERN } from "@/lib/solana/tx-signature";
import { createActivityCsv } from "./activity-csv";

type Filter = ActivityItem["type"] | "all";

const VIEWPOINTS = [
  ["service", "Savings wallet"],
  ["main", "Main wallet"],
] as const;

export function Activity() {
  const { wallet, serviceWallet } = useReadySession();
  const [viewpoint, setViewpoint] = useState<Viewpoint>("service");
  const [filter, setFilter] = useState<Filter>("all");
  const address = viewpoint === "service" ? serviceWallet : wallet;
  return (
    <>
      <h1 className="text-2xl font-semibold sm:text-3xl">Activity</h1>
      <p className="mt-1 text-soft">
        {viewpoint === "service"
          ? "What happened to your savings, read from the chain."
          : "What your main wallet did on the chain, also outside of Roundup."}
      </p>
      <div className="mt-5 flex flex-wrap items-end gap-4">
        <div className="max-sm:w-full">
          <SegmentedControl label="Whose activity" options={VIEWPOINTS} value={viewpoint} onChange={setViewpoint} />
        </div>
        <SelectField
          label="Show"
          value={filter}
          onChange={setFilter}
          options={[["all", "Everything"], ...(Object.entries(getTypeNames(viewpoint)) as [Filter, string][])]}
        />
        <div className="ml-auto">
          <ActivityExport key={address} address={address} walletName={viewpoint === "service" ? "savings" : "main"} />
        </div>
      </div>
      <WalletHistory key={address} {...{ address, viewpoint, filter }} clearFilter={() => setFilter("all")} />
      <FindTransaction />
    </>
  );
}

function FindTransaction() {
  const router = useRouter();
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const openTransaction = (event: FormEvent) => {
    event.preventDefault();
    const signature = removeInvisible(text);
    if (TX_SIGNATURE_PATTERN.test(signature)) return router.push(`/tx/${signature}`);
    setError("A signature has 64 to 88 letters and digits.");
  };
  return (
    <Fold title="Find a transaction by its signature" className="mt-4">
      <form onSubmit={openTransaction} noValidate className="mt-2 flex flex-wrap items-start gap-3">
        <Field
          className="min-w-0 flex-[1_1_20rem]"
          label="Signature"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          error={error}
          onChange={setText}
        />
        <SecondaryButton type="submit" className="mt-[1.65rem] max-sm:mt-0 max-sm:w-full">
          Find
        </SecondaryButton>
      </form>
    </Fold>
  );
}

interface HistoryProps {
  address: string;
  viewpoint: Viewpoint;
  filter: Filter;
  clearFilter: () => void;
}

function WalletHistory({ address, viewpoint, filter, clearFilter }: HistoryProps) {
  const { newestPage, items, hasOlder, olderLoad, loadOlder } = useActivity(address);
  const retry = () => newestPage.mutate();
  if (!items) {
    return (
      <Card className="mt-4">
        {newestPage.error ? (
          <Failure error={newestPage.error} retry={retry} title="The activity cannot be read right now" />
        ) : (
          <ActivitySkeleton rowCount={8} />
        )}
      </Card>
    );
  }
  const shownItems = filter === "all" ? items : items.filter(({ type }) => type === filter);
  return (
    <Card className="mt-4">
      <p role="status" className="sr-only">
        {formatTransactionCount(shownItems.length)} shown
      </p>
      <KeepFocus>
        {shownItems.length > 0 ? (
          <ActivityList items={shownItems} viewpoint={viewpoint} />
        ) : (
          <NoActivity
            {...{ viewpoint, hasOlder }}
            clearFilter={filter === "all" ? null : clearFilter}
            itemCount={items.length}
          />
        )}
      </KeepFocus>
      <StaleNote error={newestPage.error} retry={retry} />
      <FailureInView
        className="mt-4"
        error={olderLoad.error}
        retry={loadOlder}
        title="Older activity cannot be read right now"
      />
      {hasOlder && !olderLoad.error && (
        <div className="mt-4 flex justify-center">
          <SecondaryButton isBusy={olderLoad.isBusy} onClick={loadOlder}>
            Older
          </SecondaryButton>
        </div>
      )}
      {!hasOlder && items.length > 5 && (
        <p className="mt-4 text-center text-sm text-soft">That is everything, back to the first transaction.</p>
      )}
    </Card>
  );
}

interface NoActivityProps {
  clearFilter: (() => void) | null;
  viewpoint: Viewpoint;
  itemCount: number;
  hasOlder: boolean;
}

function NoActivity({ clearFilter, viewpoint, itemCount, hasOlder }: NoActivityProps) {
  if (clearFilter && itemCount > 0) {
    return (
      <EmptyState
        title="No transaction matches this filter"
        action={<SecondaryButton onClick={clearFilter}>Show everything</SecondaryButton>}
      >
        {hasOlder && `Only the newest ${formatTransactionCount(itemCount)} are loaded. Older ones may match.`}
      </EmptyState>
    );
  }
  if (hasOlder) {
    return (
      <EmptyState title="Nothing of this wallet so far">
        The newest transactions only name it. Look further back.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing has happened yet"
      action={viewpoint === "service" && <ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>}
    >
      {viewpoint === "service"
        ? "The first change you save will stand here."
        : "This wallet has made no transaction on this network."}
    </EmptyState>
  );
}

function ActivityExport({ address, walletName }: { address: string; walletName: string }) {
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
