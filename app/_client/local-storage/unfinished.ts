"use client";

import { useMemo } from "react";
import { parseUnfinished, type Unfinished, unfinishedKey } from "@/lib/sdk/flow/unfinished";
import { useStoredValue } from "./stored-value";

/** What a wallet's last run left unfinished in this browser, null when it finished; all tabs follow. */
export function useUnfinished<R, D>(name: string, wallet: string): Unfinished<R, D> | null {
  const text = useStoredValue(unfinishedKey(name, wallet));
  return useMemo(() => parseUnfinished<R, D>(text), [text]);
}
