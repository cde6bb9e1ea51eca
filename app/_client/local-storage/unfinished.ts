"use client";

import { useMemo } from "react";
import { parseUnfinished, type Unfinished, unfinishedKey } from "@/lib/sdk/flow/unfinished";
import { useStoredValue } from "./stored-value";

/** Returns the wallet's unfinished run in this browser, or null when the last run finished. All tabs stay in sync. */
export function useUnfinished<R, D>(name: string, wallet: string): Unfinished<R, D> | null {
  const text = useStoredValue(unfinishedKey(name, wallet));
  return useMemo(() => parseUnfinished<R, D>(text), [text]);
}
