"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import { VALID_MS } from "@/lib/sdk/flow/run";
import type { Built, Flow, FlowState } from "@/lib/sdk/flow/types";

/** Times in a row that a quote is renewed with nobody doing anything. */
const RENEWALS = 3;

/** Builds anew when the time runs out under somebody's eyes; after a while without a hand it waits to be asked. */
export function useRenewal<R, B extends Built, D>(
  flow: Flow<R, B, D>,
  { phase, expiresAt, renewals }: FlowState<R, B, D>,
) {
  useEffect(() => {
    if (phase !== "review" || renewals >= RENEWALS) return;
    const renew = () => {
      if (Date.now() < expiresAt || document.visibilityState !== "visible") return;
      void flow.renew("Time ran out, so this was built anew with fresh figures. Look once more.", true);
    };
    const timer = setTimeout(renew, Math.max(0, expiresAt - Date.now()) + 20);
    document.addEventListener("visibilitychange", renew);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", renew);
    };
  }, [flow, phase, expiresAt, renewals]);
}

/** How long what is shown can still be signed. Not announced every second: its end is. */
export function QuoteClock({
  expiresAt,
  renew,
  children,
}: {
  expiresAt: number;
  renew: () => void;
  children: (expired: boolean) => ReactNode;
}) {
  const left = useSecondsUntil(expiresAt);
  if (left === 0) {
    return (
      <>
        <div className="flex flex-wrap items-center gap-3">
          <p role="status" className="text-warn">
            Time ran out: this can no longer be signed.
          </p>
          <Button onClick={renew}>Build it again</Button>
        </div>
        {children(true)}
      </>
    );
  }
  return (
    <>
      <div data-testid="quote-clock">
        <p className="flex justify-between gap-4 text-sm text-soft">
          <span>Can be signed for</span>
          <span className="tabular-nums">{left} s</span>
        </p>
        <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-raised">
          <div
            className={`h-full rounded-full ${left <= 10 ? "bg-warn" : "bg-accent"}`}
            style={{ width: `${Math.min(100, (left * 100_000) / VALID_MS)}%` }}
          />
        </div>
      </div>
      {children(false)}
    </>
  );
}

function useSecondsUntil(end: number): number {
  const count = () => Math.max(0, Math.ceil((end - Date.now()) / 1000));
  const [left, setLeft] = useState(count);
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [end]);
  return left;
}
