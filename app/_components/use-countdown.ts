"use client";

import { useEffect, useState } from "react";

/** Returns the seconds left, rounded up. Restarts when an argument changes. */
export function useCountdown(durationSeconds: number, restartKey: unknown): number {
  const [secondsLeft, setSecondsLeft] = useState(durationSeconds);
  useEffect(() => {
    setSecondsLeft(durationSeconds);
    if (durationSeconds <= 0) return;
    const endTime = Date.now() + durationSeconds * 1000;
    const timer = setInterval(() => {
      const seconds = Math.max(0, Math.ceil((endTime - Date.now()) / 1000));
      setSecondsLeft(seconds);
      if (seconds === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [durationSeconds, restartKey]);
  return secondsLeft;
}
