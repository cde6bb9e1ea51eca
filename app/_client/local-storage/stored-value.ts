"use client";

import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { Storage } from "@/lib/sdk/platform";

/*
 * Small JSON values in localStorage. All tabs stay in sync.
 *
 * This folder holds what the browser remembers for a wallet: one file for each value, with its type, its key and its
 * parser. Sign-ins and the connected wallets belong in ../wallet. Reads of the API belong in ../queries.
 */

/** Event on `window` after a write. The browser's own "storage" event reaches only the other tabs. */
const CHANGE_EVENT = "roundup-kept-changed";

/**
 * Stores a value. Null removes the stored value.
 * @throws {DOMException} when the storage is full
 */
export function storeValue(key: string, value: unknown): void {
  void browserStorage.set(key, value === null ? null : JSON.stringify(value));
}

/** localStorage as the SDK's storage. Every write notifies this tab. */
export const browserStorage: Storage = {
  get: (key) => localStorage.getItem(key),
  set(key, value) {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    window.dispatchEvent(new Event(CHANGE_EVENT));
  },
};

/**
 * Returns the raw text stored under a key, or null. Callers must validate the text: an older version or any script of
 * this origin may have written it.
 */
export function useStoredValue(key: string): string | null {
  return useSyncExternalStore(
    subscribeToChanges,
    () => localStorage.getItem(key),
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

/** Returns whether a parsed value is a number from `min` to `max`. */
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
    (changes: Partial<T>) => storeValue(key, { ...parse(localStorage.getItem(key)), ...changes }),
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
