"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { BuildResult } from "@/lib/sdk/flow/types";

/** Times in a row that a quote is renewed with nobody doing anything. */
const RENEWALS = 6;

/** Builds anew, silently, when the time runs out under somebody's eyes; after a while without a hand it waits to be asked. */
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

/** What is shown can be signed for a while only; once that is over and nobody was there, fresh figures are asked for. */
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

/** Whether a moment has passed. While a page sleeps its timers do, so it looks again when it is seen. */
function useIsOver(end: number): boolean {
  const [over, setOver] = useState(() => Date.now() >= end);
  useEffect(() => {
    const look = () => setOver(Date.now() >= end);
    look();
    // After the renewal, which begins at the same moment.
    const timer = setTimeout(look, Math.max(0, end - Date.now()) + 100);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [end]);
  return over;
}
