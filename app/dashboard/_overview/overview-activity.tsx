"use client";

import { useRecentActivity } from "@/app/_client/queries/use-activity";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "../_components/activity-list";

/** Lists the service wallet's newest transactions. */
export function OverviewActivity({ address }: { address: string }) {
  const { data, error, mutate } = useRecentActivity(address);
  const retry = () => void mutate();
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
      {data ? (
        <>
          {data.items.length > 0 ? (
            // The activity page has all. On a phone, more than two would make this page too long.
            <div className="max-sm:[&_li:nth-child(2)]:border-b-0 max-sm:[&_li:nth-child(n+3)]:hidden">
              <ActivityList items={data.items} viewpoint="service" />
            </div>
          ) : data.nextBefore !== null ? (
            <p className="text-soft">The newest transactions only mention your wallet. See yours under All activity.</p>
          ) : (
            <p className="text-soft">Nothing yet. What you save, buy, sell and withdraw shows up here.</p>
          )}
          <StaleNote error={error} retry={retry} />
        </>
      ) : error ? (
        <Failure error={error} retry={retry} title="Your activity cannot be read right now" />
      ) : (
        <ActivitySkeleton />
      )}
    </Card>
  );
}
