"use client";

import { useSyncExternalStore } from "react";
import type { Storage } from "@/lib/sdk/world";

/** Small things kept in this browser under a key, as JSON text; all tabs follow. */

const CHANGED = "roundup-kept-changed";

/** Keeps a value, or forgets it when it is null. */
export function storeValue(key: string, value: unknown): void {
  void browserStorage.set(key, value === null ? null : JSON.stringify(value));
}

/** What flows remember, in this browser. */
export const browserStorage: Storage = {
  get: (key) => localStorage.getItem(key),
  set(key, value) {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    window.dispatchEvent(new Event(CHANGED));
  },
};

/** What is kept under a key, unread: it may be older than this page, or anybody's. Null when there is nothing. */
export function useStoredValue(key: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(key),
    () => null,
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    window.removeEventListener("storage", listener);
    window.removeEventListener(CHANGED, listener);
  };
}
