"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { BuildResult } from "@/lib/sdk/flow/types";

/** How often an expired quote is renewed in a row without any action of the person. */
const RENEWALS = 6;

/**
 * Rebuilds an expired quote while the page is visible. After `RENEWALS` rebuilds without an action, waits for the
 * person.
 */
export function useRenewal<R, B extends BuildResult, D>(
  flow: Flow<R, B, D>,
  { phase, expiresAt, renewals }: FlowState<R, B, D>,
) {
  useEffect(() => {
    if (phase !== "review" || renewals >= RENEWALS) return;
    const renew = () => {
      if (Date.now() < expiresAt || document.visibilityState !== "visible") return;
      void flow.renew(null, true);
    };
    const timer = setTimeout(renew, Math.max(0, expiresAt - Date.now()) + 20);
    document.addEventListener("visibilitychange", renew);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", renew);
    };
  }, [flow, phase, expiresAt, renewals]);
}

/** Shows how long the quote is valid. After the last automatic renewal, offers a button for a fresh quote. */
export function QuoteClock({
  expiresAt,
  renew,
  children,
}: {
  expiresAt: number;
  renew: () => void;
  children: (expired: boolean) => ReactNode;
}) {
  const expired = useIsOver(expiresAt);
  return (
    <>
      {expired && (
        <div className="flex flex-wrap items-center gap-3">
          <p role="status" className="text-warn">
            These figures are too old to be signed.
          </p>
          <Button onClick={renew}>Get fresh ones</Button>
        </div>
      )}
      {children(expired)}
    </>
  );
}

/**
 * Returns whether a time has passed. Timers stop while a page sleeps, so the hook checks again when the page becomes
 * visible.
 */
function useIsOver(end: number): boolean {
  const [over, setOver] = useState(() => Date.now() >= end);
  useEffect(() => {
    const update = () => setOver(Date.now() >= end);
    update();
    // Check after the renewal, which starts at the same moment.
    const timer = setTimeout(update, Math.max(0, end - Date.now()) + 100);
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, [end]);
  return over;
}
