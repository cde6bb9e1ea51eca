"use client";

import type { RefObject } from "react";
import { useRecentActivity } from "@/app/_client/queries/activity";
import type { Overview } from "@/app/_client/queries/overview";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { ReadView } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "@/app/dashboard/_components/activity-list";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { FromWallet } from "@/app/dashboard/_saving/payments/from-wallet";
import { usePretendPurchases } from "@/app/dashboard/_saving/payments/use-pretend-purchases";
import { SaveSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { useSave } from "@/app/dashboard/_saving/wrap/use-saving";
import { WAITING_PAYMENTS_TEXT } from "@/lib/sdk/describe-payments";

export function OverviewActivity() {
  const read = useRecentActivity(useReadySession().serviceWallet);
  return (
    <Card
      title="Recent activity"
      className="mt-3 sm:mt-4"
      action={
        <ButtonLink href="/dashboard/activity" variant="quiet" className="-my-2 -mr-4">
          All activity
        </ButtonLink>
      }
    >
      <ReadView read={read} failureTitle="Your activity cannot be read right now" loading={<ActivitySkeleton />}>
        {({ items, nextBefore }) =>
          items.length > 0 ? (
            // On a phone, more than one row would make this page too long. The activity page lists all.
            <div className="max-sm:[&_li:nth-child(1)]:border-b-0 max-sm:[&_li:nth-child(n+2)]:hidden">
              <ActivityList items={items} viewpoint="service" />
            </div>
          ) : nextBefore !== null ? (
            <p className="text-soft">The newest transactions only mention your wallet. See yours under All activity.</p>
          ) : (
            <p className="text-soft">Nothing yet.</p>
          )
        }
      </ReadView>
    </Card>
  );
}

interface Props {
  overview: Overview;
  headingRef: RefObject<HTMLHeadingElement | null>;
}

/** Offers to save the change of the wallet's payments with one signature. Shows one line if there are none. */
export function OverviewSpending({ overview, headingRef }: Props) {
  const save = useSave();
  const { isOffered } = usePretendPurchases();
  const { spending } = overview;
  // Once enough is saved to invest, investing becomes the primary action.
  const variant = useReadiness()?.isReady ? "secondary" : "primary";
  return (
    <>
      {save.unfinishedRecord && (
        <Notice
          className="mt-3"
          tone="warn"
          title="A saving is not finished"
          action={<ButtonLink href="/dashboard/round-up">Check now</ButtonLink>}
        >
          <p>Nothing else is saved until it is.</p>
        </Notice>
      )}
      {spending?.isComplete && spending.payments === 0 ? (
        <div
          data-testid="nothing-spent"
          className="mt-3 flex min-h-13 flex-wrap items-center justify-between gap-x-2 rounded-2xl border border-line bg-card px-4 py-1 sm:px-5"
        >
          <p className="whitespace-nowrap py-2 text-sm sm:text-base lg:text-sm">
            {spending.items.length > 0 ? WAITING_PAYMENTS_TEXT : "No new payments"}
          </p>
          {isOffered && (
            <ButtonLink
              href="/dashboard/round-up"
              variant="quiet"
              className="-mx-4 whitespace-nowrap text-sm sm:text-base lg:text-sm"
            >
              Round up a purchase
            </ButtonLink>
          )}
        </div>
      ) : (
        <Card className="mt-3">
          <h2 className="sr-only">Your change</h2>
          <FromWallet overview={overview} save={save} variant={variant} />
        </Card>
      )}
      <SaveSheet save={save} finalFocus={headingRef} />
    </>
  );
}
