"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { BuildResult } from "@/lib/sdk/flow/types";

/** How often an expired quote is renewed in a row without any action of the person. */
const MAX_RENEWALS = 6;

/**
 * Rebuilds an expired quote while the page is visible. After `MAX_RENEWALS` rebuilds without an action, waits for the
 * person.
 */
export function useRenewal<R, B extends BuildResult, D>(
  flow: Flow<R, B, D>,
  { phase, expiresAt, renewalCount }: FlowState<R, B, D>,
) {
  useEffect(() => {
    if (phase !== "review" || renewalCount >= MAX_RENEWALS) return;
    const renew = () => {
      if (Date.now() < expiresAt || document.visibilityState !== "visible") return;
      void flow.renew(null, true);
    };
    return callAt(expiresAt, 20, renew);
  }, [flow, phase, expiresAt, renewalCount]);
}

interface Props {
  expiresAt: number;
  renew: () => void;
  children: (expired: boolean) => ReactNode;
}

/** Shows how long the quote is valid. After the last automatic renewal, offers a button for a fresh quote. */
export function QuoteClock({ expiresAt, renew, children }: Props) {
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

/** Returns whether a time has passed. */
function useIsOver(end: number): boolean {
  const [over, setOver] = useState(() => Date.now() >= end);
  useEffect(() => {
    const update = () => setOver(Date.now() >= end);
    update();
    // Check after the renewal, which starts at the same moment.
    return callAt(end, 100, update);
  }, [end]);
  return over;
}

/**
 * Calls `check` `delayMs` after a time, and when the page is hidden or shown. Timers stop while a page sleeps.
 * @returns a function that ends the calls
 */
function callAt(time: number, delayMs: number, check: () => void): () => void {
  const timer = setTimeout(check, Math.max(0, time - Date.now()) + delayMs);
  document.addEventListener("visibilitychange", check);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", check);
  };
}
