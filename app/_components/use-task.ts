"use client";

import { useState } from "react";

/** Returns a function that runs the task, whether it runs now, and why it failed the last time; null if it did not. */
export function useTask(task: () => Promise<void>) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setIsBusy(true);
    setError(null);
    try {
      await task();
    } catch (failure) {
      setError(failure);
    }
    setIsBusy(false);
  };
  return { run: () => void run(), isBusy, error };
}
