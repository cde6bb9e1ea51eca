"use client";

import { useMemo } from "react";
import { type FlowRecord, parseRecord, recordKey } from "@/lib/sdk/flow/record";
import { useStoredValue } from "./stored-value";

/** Returns the wallet's unfinished run in this browser, or null when the last run finished. All tabs stay in sync. */
export function useUnfinished<R, D>(name: string, wallet: string): FlowRecord<R, D> | null {
  const text = useStoredValue(recordKey(name, wallet));
  return useMemo(() => parseRecord<R, D>(text), [text]);
}
