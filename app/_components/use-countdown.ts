"use client";

import { useEffect, useState } from "react";

/**
 * Returns the seconds left, rounded up.
 * @param from length of the countdown, seconds
 * @param start any value; the countdown restarts when it changes
 */
export function useCountdown(from: number, start: unknown): number {
  const [left, setLeft] = useState(from);
  useEffect(() => {
    setLeft(from);
    if (from <= 0) return;
    const end = Date.now() + from * 1000;
    const timer = setInterval(() => {
      const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      setLeft(seconds);
      if (seconds === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [from, start]);
  return left;
}
