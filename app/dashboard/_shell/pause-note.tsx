"use client";

import { usePathname } from "next/navigation";
import { useOverview } from "@/app/_client/queries/overview";
import { useDegradedFeatures } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";

/**
 * Shows what the operator has paused, and why, before the person fills in a form. Price problems are shown beside the
 * prices.
 */
export function PauseNote() {
  const session = useReadySession();
  // The overview's answer already contains the pauses.
  const isOnOverview = usePathname() === "/dashboard";
  const { data: overview, error } = useOverview(isOnOverview ? session : null);
  const degradedFeatures = useDegradedFeatures(!isOnOverview || Boolean(error) || overview?.pauses === null);
  const separatePauses = degradedFeatures.flatMap(({ part, reason }) => (part === "pause" ? [reason] : []));
  const pauses = overview?.pauses ?? separatePauses;
  return (
    <div role="status" className="not-empty:mb-4">
      {pauses.length > 0 && (
        <Notice tone="warn" title="A part of the service is paused">
          {pauses.map((reason) => (
            <p key={reason}>{`${reason[0]?.toUpperCase()}${reason.slice(1)}`}</p>
          ))}
          <p>Your savings are not affected. You can still see and withdraw them.</p>
        </Notice>
      )}
    </div>
  );
}
