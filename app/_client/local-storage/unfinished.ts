"use client";

import { useMemo } from "react";
import { type FlowRecord, parseRecord, recordKey } from "@/lib/sdk/flow/record";
import { useStoredValue } from "./stored-value";

/** What a wallet's last run left unfinished in this browser, null when it finished; all tabs follow. */
export function useUnfinished<R, D>(name: string, wallet: string): FlowRecord<R, D> | null {
  const text = useStoredValue(recordKey(name, wallet));
  return useMemo(() => parseRecord<R, D>(text), [text]);
}
