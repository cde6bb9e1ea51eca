"use client";

import { useRecentActivity } from "@/app/_client/queries/use-activity";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState, Failure, StaleNote } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "../_components/activity-list";

/** Lists the service wallet's newest transactions. */
export function OverviewActivity({ address }: { address: string }) {
  const { data, error, mutate } = useRecentActivity(address);
  const retry = () => void mutate();
  return (
    <Card
      title="Recent activity"
      className="mt-4"
      action={
        <ButtonLink href="/dashboard/activity" variant="quiet" className="-my-2 -mr-4">
          All activity
        </ButtonLink>
      }
    >
      {data ? (
        <>
          {data.items.length > 0 ? (
            <ActivityList items={data.items} viewpoint="service" />
          ) : data.nextBefore !== null ? (
            <EmptyState title="Nothing new of yours">
              The newest transactions only name your wallet; what you did stands further back, under All activity.
            </EmptyState>
          ) : (
            <EmptyState title="Nothing has happened yet">
              What you save, buy, sell and take out shows up here.
            </EmptyState>
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
