"use client";

import { useRecentActivity } from "@/app/_client/queries/activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ReadView } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "../_components/activity-list";

/** Lists the service wallet's newest transactions. */
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
