"use client";

import { useSyncExternalStore } from "react";
import { useCountdown } from "@/app/_components/use-countdown";
import { limit } from "./calls";

/** Shows that calls are waiting for the rate limit. The calls resume automatically. */
export function LimitLine({ className = "not-empty:mb-4" }: { className?: string }) {
  const until = useSyncExternalStore(limit.subscribe, limit.getWaitingUntil, () => 0);
  const seconds = useCountdown(Math.max(0, Math.ceil((until - Date.now()) / 1000)), until);
  return (
    <p role="status" data-testid="limit-line" className={`text-sm text-soft empty:sr-only ${className}`}>
      {seconds > 0 && `Rate limit reached. Resuming in ${seconds} s`}
    </p>
  );
}
