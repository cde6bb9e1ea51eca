"use client";

import { type ReactNode, useRef } from "react";
import type { Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { Card } from "@/app/_components/card";
import { loadOnTouch } from "@/app/_components/load-on-touch";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import type { BuildResult } from "@/lib/sdk/flow/types";
import type { FlowSheet as LoadedFlowSheet } from "./flow-sheet";
import type { FlowWords } from "./flow-words";
import { UnfinishedNote } from "./unfinished-note";
import type { FlowHandle } from "./use-flow";

// The cast keeps the type parameters, which `loadOnTouch` would lose.
const FlowSheet = loadOnTouch<Parameters<typeof LoadedFlowSheet<unknown, BuildResult, unknown>>[0]>(
  () => import("./flow-sheet").then((module) => module.FlowSheet),
  ({ state }) => state.phase !== "idle",
) as typeof LoadedFlowSheet;

interface Props<Request, Build extends BuildResult, About> extends FlowHandle<Request, Build, About> {
  portfolio: Pick<ReturnType<typeof usePortfolio>, "data" | "error" | "mutate">;
  /** Whether a transaction has landed that the portfolio does not contain yet. */
  isUpdating: boolean;
  title: string;
  lead: string;
  words: FlowWords & {
    unfinishedTitle: string;
    /** Describes what remains and that the run can continue. */
    remainingText: string;
    /** Title of the review when part of the run has already landed. */
    remainderReviewTitle: string;
  };
  skeleton: ReactNode;
  /** Renders the page's content. `staleNote` says why the figures are outdated; place it beside them. */
  children: (portfolio: Portfolio, staleNote: ReactNode) => ReactNode;
  reviewContent: ReactNode;
  refusedContent?: ReactNode;
  doneContent: ReactNode;
}

/** Shows the page of one flow: a note on an interrupted run, the page's content, and the sheet that runs the flow. */
export function FlowPage<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { portfolio, isUpdating, title, lead, words, skeleton, children, ...sheetProps } = props;
  const { state } = sheetProps;
  const { data, error } = portfolio;
  const headingRef = useRef<HTMLHeadingElement>(null);
  const retry = () => portfolio.mutate();
  return (
    <>
      <h1 ref={headingRef} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
        {title}
      </h1>
      <p className="mt-1 max-w-3xl text-balance text-soft">{lead}</p>
      <UnfinishedNote handle={sheetProps} title={words.unfinishedTitle} text={words.remainingText} />
      <div className="mt-6">
        {data ? (
          children(data, isUpdating ? <UpdatingNote /> : <StaleNote error={error} retry={retry} />)
        ) : error ? (
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        ) : (
          skeleton
        )}
      </div>
      <FlowSheet
        {...sheetProps}
        finalFocus={headingRef}
        words={state.record?.done.length ? { ...words, reviewTitle: words.remainderReviewTitle } : words}
      />
    </>
  );
}

const UpdatingNote = () => (
  <p role="status" className="mt-3 text-sm text-soft">
    Updating…
  </p>
);

/** Places the aside beside the form, or above it on small screens. */
export function AsideLayout({ aside, children }: { aside: ReactNode; children: ReactNode }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
      {children}
      <div className="order-first lg:order-last">{aside}</div>
    </div>
  );
}

/** Shows a placeholder of AsideLayout while the data loads. The titles are those of the loaded page. */
export function AsideSkeleton({ formTitle, asideTitle }: { formTitle: string; asideTitle: string }) {
  const asideCard = (
    <Card title={asideTitle}>
      <Skeleton className="h-9 w-32" />
      <Skeleton className="mt-3 h-5 w-48" />
      <Skeleton className="mt-6 h-5 w-full" />
    </Card>
  );
  return (
    <div role="status">
      <span className="sr-only">Reading your savings</span>
      <AsideLayout aside={asideCard}>
        <Card title={formTitle}>
          <Skeleton className="h-11 w-64 max-w-full rounded-xl" />
          <Skeleton className="mt-5 h-36 w-full rounded-xl" />
          <Skeleton className="mt-6 h-11 w-full rounded-xl sm:w-56" />
        </Card>
      </AsideLayout>
    </div>
  );
}
