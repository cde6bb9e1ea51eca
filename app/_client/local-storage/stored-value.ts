"use client";

import { useCallback, useMemo, useSyncExternalStore } from "react";
import { RECORD_KEY_PREFIX } from "@/lib/sdk/flow/record";
import type { Storage } from "@/lib/sdk/platform";
import { browserStore } from "./browser-storage";

/*
 * Small JSON values in the browser's storage, the same in all tabs. This folder has one file for each value, with its
 * type, key and parser. Sign-ins belong in ../wallet, reads of the API in ../queries.
 */

/** Event on `window` after a write. The browser's own "storage" event reaches only the other tabs. */
const CHANGE_EVENT = "roundup-kept-changed";

/** Stores a value, if need be only until the next reload. Null removes the stored value. */
export function storeValue(key: string, value: unknown): void {
  browserStore.keep(key, toText(value));
  notifyThisTab();
}

/** Like `storeValue`, for a value whose earlier version must not come back after a reload. */
export function replaceValue(key: string, value: unknown): void {
  browserStore.replace(key, toText(value));
  notifyThisTab();
}

const toText = (value: unknown) => (value === null ? null : JSON.stringify(value));
const notifyThisTab = () => void window.dispatchEvent(new Event(CHANGE_EVENT));

/** The SDK's storage for payments that could be made twice. They throw StorageError if a record is not stored. */
export const recordStorage: Storage = {
  get: browserStore.get,
  set(key, value) {
    if (key.startsWith(RECORD_KEY_PREFIX)) browserStore.store(key, value);
    else browserStore.keep(key, value);
    notifyThisTab();
  },
};

/** The SDK's storage for what must go on without the browser's storage: withdrawals, and the comparison of prices. */
export const memoryBackedStorage: Storage = {
  get: browserStore.get,
  set(key, value) {
    browserStore.replace(key, value);
    notifyThisTab();
  },
};

/** Returns the stored text, or null. Callers must validate it: any script of this origin may have written it. */
export function useStoredValue(key: string): string | null {
  return useSyncExternalStore(
    subscribeToChanges,
    () => browserStore.get(key),
    () => null,
  );
}

/** Parses stored text as an object whose fields the caller checks. Invalid JSON and null give an empty object. */
export function parseFields(text: string | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}

export const isNumberInRange = (value: unknown, { min, max }: { min: number; max: number }): value is number =>
  typeof value === "number" && value >= min && value <= max;

/** Checks every field of a stored text and supplies defaults. Hooks depend on it, so it is the same on every render. */
type Parse<T> = (text: string | null) => T;

export function useParsedValue<T>(key: string, parse: Parse<T>): T {
  const text = useStoredValue(key);
  return useMemo(() => parse(text), [parse, text]);
}

/** Returns the object stored under a key, and a function that merges changes into it. */
export function useStoredObject<T extends object>(key: string, parse: Parse<T>): [T, (changes: Partial<T>) => void] {
  const update = useCallback(
    (changes: Partial<T>) => storeValue(key, { ...parse(browserStore.get(key)), ...changes }),
    [key, parse],
  );
  return [useParsedValue(key, parse), update];
}

function subscribeToChanges(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  window.addEventListener(CHANGE_EVENT, listener);
  return () => {
    window.removeEventListener("storage", listener);
    window.removeEventListener(CHANGE_EVENT, listener);
  };
}
