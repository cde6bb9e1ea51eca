"use client";

import { useMemo } from "react";
import type { Unfinished } from "@/lib/sdk/flow/unfinished";
import { keep, useKept } from "./kept";

const keyOf = (name: string, wallet: string) => `roundup-unfinished-${name}:${wallet}`;

/** Keeps a record, or forgets it. Signed transactions are no secret: they are public once they are sent. */
export function keepUnfinished<R, D>(name: string, wallet: string, record: Unfinished<R, D> | null): void {
  keep(keyOf(name, wallet), record);
}

/** What a wallet's last run left unfinished, as it is kept right now. */
export function unfinishedOf<R, D>(name: string, wallet: string): Unfinished<R, D> | null {
  return parse(localStorage.getItem(keyOf(name, wallet)));
}

/** What a wallet's last run left unfinished in this browser, null when it finished; all tabs follow. */
export function useUnfinished<R, D>(name: string, wallet: string): Unfinished<R, D> | null {
  const text = useKept(keyOf(name, wallet));
  return useMemo(() => parse<R, D>(text), [text]);
}

function parse<R, D>(text: string | null): Unfinished<R, D> | null {
  try {
    const record = JSON.parse(text ?? "null");
    return record !== null && Array.isArray(record.done) && typeof record.request === "object" ? record : null;
  } catch {
    return null;
  }
}
