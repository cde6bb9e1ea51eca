"use client";

import { useSyncExternalStore } from "react";
import { useCountdown } from "@/app/_components/use-countdown";
import { rateLimit } from "./calls";

interface Props {
  className?: string;
  /** Shows only the waits of what the person has pressed. */
  isForAction?: boolean;
}

/** Counts down while calls wait for the rate limit. The calls resume automatically. */
export function LimitLine({ className = "not-empty:mb-4", isForAction = false }: Props) {
  const getWaitingUntil = () => rateLimit.getWaits()[isForAction ? "actionUntil" : "anyUntil"];
  const waitingUntil = useSyncExternalStore(rateLimit.subscribe, getWaitingUntil, () => 0);
  const secondsLeft = useCountdown(Math.max(0, Math.ceil((waitingUntil - Date.now()) / 1000)), waitingUntil);
  return (
    <p role="status" data-testid="limit-line" className={`text-sm text-soft empty:sr-only ${className}`}>
      {secondsLeft > 0 && `Rate limit reached. Resuming in ${secondsLeft} s`}
    </p>
  );
}
