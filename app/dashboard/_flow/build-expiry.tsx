"use client";

import { useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";
import { describeTimeToSign } from "./flow-words";

/** The most renewals of an expired build in a row without an action of the person. */
const MAX_RENEWALS = 6;

/** Renews an expired build while the page is visible, `MAX_RENEWALS` times in a row without an action of the person. */
export function useRenewal(
  flow: Pick<Flow<never, unknown, unknown>, "renew">,
  { phase, expiresAt, renewalCount }: Pick<FlowState, "phase" | "expiresAt" | "renewalCount">,
) {
  useEffect(() => {
    if (phase !== "review" || renewalCount >= MAX_RENEWALS) return;
    const renewBuild = () => {
      if (Date.now() < expiresAt || document.visibilityState !== "visible") return;
      void flow.renew(null, true);
    };
    // A browser's timer may fire slightly early, and `renewBuild` ignores a call before the expiry.
    const stopCalls = callAt(expiresAt, 20, renewBuild);
    return () => stopCalls();
  }, [flow, phase, expiresAt, renewalCount]);
}

export const ExpiredNote = ({ renew }: { renew: () => void }) => (
  <div className="flex flex-wrap items-center gap-3">
    <p role="status" className="text-warn">
      These figures are too old to be signed.
    </p>
    <Button onClick={renew}>Get fresh ones</Button>
  </div>
);

/** Says how long the wallet may still take to sign, once that is short. @param signBy ms since the epoch */
export function TimeToSign({ signBy }: { signBy: number }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const update = () => setText(describeTimeToSign(signBy - Date.now()));
    update();
    const timer = setInterval(update, 1_000);
    return () => clearInterval(timer);
  }, [signBy]);
  return (
    text && (
      <p role="timer" className="mb-3 text-sm text-warn">
        {text}
      </p>
    )
  );
}

/** Returns whether a time, ms since the epoch, has passed. */
export function useHasPassed(endTime: number): boolean {
  const [hasPassed, setHasPassed] = useState(() => Date.now() >= endTime);
  useEffect(() => {
    const updateHasPassed = () => setHasPassed(Date.now() >= endTime);
    updateHasPassed();
    // Check after the renewal, which starts at the same moment.
    const stopCalls = callAt(endTime, 100, updateHasPassed);
    return () => stopCalls();
  }, [endTime]);
  return hasPassed;
}

/**
 * Calls `check` when `delayMs` have passed since a time, ms since the epoch. Also calls it whenever the page is hidden
 * or shown, because timers stop while a page sleeps.
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
