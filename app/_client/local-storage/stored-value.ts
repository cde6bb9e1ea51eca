"use client";

import { useSyncExternalStore } from "react";
import type { Storage } from "@/lib/sdk/world";

/** Small JSON values in localStorage. All tabs stay in sync. */

const CHANGED = "roundup-kept-changed";

/** Stores a value. Null removes the stored value. */
export function storeValue(key: string, value: unknown): void {
  void browserStorage.set(key, value === null ? null : JSON.stringify(value));
}

/** Storage for flow records, backed by localStorage. */
export const browserStorage: Storage = {
  get: (key) => localStorage.getItem(key),
  set(key, value) {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    window.dispatchEvent(new Event(CHANGED));
  },
};

/**
 * Returns the raw text stored under a key, or null. Callers must validate the text: an older version or any script of
 * this origin may have written it.
 */
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
