"use client";

import { useCallback, useEffect, useState } from "react";
import { checkRoom, type StorageProblem } from "@/app/_client/local-storage/browser-storage";
import { StorageNote } from "@/app/dashboard/_components/storage-note";
import type { FlowState } from "@/lib/sdk/flow/state";

/** Checks in each phase, and whenever the tab is shown, whether the browser would store this action's record. */
export function useRecordCheck(phase: FlowState["phase"]) {
  const [problem, setProblem] = useState<StorageProblem | null>(null);
  const recheck = useCallback(() => setProblem(checkRoom()), []);
  useEffect(() => {
    recheck();
    document.addEventListener("visibilitychange", recheck);
    return () => document.removeEventListener("visibilitychange", recheck);
  }, [phase, recheck]);
  return { problem, recheck };
}

type RecordCheck = ReturnType<typeof useRecordCheck>;

interface Props extends RecordCheck {
  /** Whether the action goes on with its record in this page's memory. */
  mayRunUnrecorded: boolean;
}

/** Says what it means for this action that the browser would not store its record. */
export function RecordNote({ problem, recheck, mayRunUnrecorded }: Props) {
  if (problem === null) return null;
  return (
    <StorageNote problem={problem} recheck={recheck} className="mb-4">
      <p>
        {mayRunUnrecorded
          ? "You can withdraw. Keep this tab open until it finishes. After a reload, this page does not know what it sent: see Activity before you withdraw again."
          : "This cannot be signed now: without a stored record, a reload could pay twice."}
      </p>
    </StorageNote>
  );
}
