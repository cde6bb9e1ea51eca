"use client";

import { useCallback } from "react";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import { browserStore } from "./browser-storage";
import { parseListChoices } from "./list-choices";
import { parseFields, replaceValue, useParsedValue } from "./stored-value";

/** A wallet's list of purchases. It stays until all of them are saved or the person starts a new one. */
export interface StoredPurchaseList {
  /** Typed amounts, or the text of a file. */
  text: string;
  isOpen: boolean;
  /** How the person reads the columns of a file. Null until the person changes the guess. */
  choices: ListChoices | null;
  /** True once the person has confirmed how the columns are read. Nothing is offered for saving before. */
  isConfirmed: boolean;
  /** Row numbers the person excluded. Null until the selection changes; until then, duplicate rows are excluded. */
  excludedLines: number[] | null;
  savedLines: number[];
  /** Row numbers of the latest save whose round-ups have not landed yet, in the order of that save. */
  pendingLines: number[];
  /** Identifies the latest save, so that a landed part of a different save (from any tab) is not counted. */
  pendingSaveKey: string;
}

export const EMPTY_PURCHASE_LIST: StoredPurchaseList = {
  text: "",
  isOpen: false,
  choices: null,
  isConfirmed: false,
  excludedLines: null,
  savedLines: [],
  pendingLines: [],
  pendingSaveKey: "",
};

const toStorageKey = (wallet: string) => `roundup-list:${wallet}`;

/** Works in the browser only. */
export const loadPurchaseList = (wallet: string): StoredPurchaseList =>
  parsePurchaseList(browserStore.get(toStorageKey(wallet)));

/** Returns whether the wallet has an unsaved list. A list is done once its save has landed, despite excluded lines. */
export function isPurchaseListWaiting(wallet: string): boolean {
  const { text, savedLines, pendingLines } = loadPurchaseList(wallet);
  return text !== "" && (savedLines.length === 0 || pendingLines.length > 0);
}

export function usePurchaseList(wallet: string): [StoredPurchaseList, (changes: Partial<StoredPurchaseList>) => void] {
  const update = useCallback((changes: Partial<StoredPurchaseList>) => updatePurchaseList(wallet, changes), [wallet]);
  return [useParsedValue(toStorageKey(wallet), parsePurchaseList), update];
}

/** Merges changes into the stored list. Removes the list when its text becomes empty. */
export function updatePurchaseList(wallet: string, changes: Partial<StoredPurchaseList>): void {
  const list = { ...loadPurchaseList(wallet), ...changes };
  // With an earlier version of the list, a reload could offer saved lines again.
  replaceValue(toStorageKey(wallet), list.text === "" ? null : list);
}

/** Records that a save of these lines has started. @param purchases USD amounts of the whole save */
export function recordSaveStart(wallet: string, lineNumbers: number[], purchases: readonly number[]): void {
  updatePurchaseList(wallet, { pendingLines: lineNumbers, pendingSaveKey: purchases.join() });
}

/** Marks the next `count` lines of the latest save as saved, if these are its `purchases` (USD). */
export function recordSavedLines(wallet: string, count: number, purchases: readonly number[]): void {
  const { pendingLines, pendingSaveKey, savedLines } = loadPurchaseList(wallet);
  if (pendingLines.length === 0 || pendingSaveKey !== purchases.join()) return;
  updatePurchaseList(wallet, {
    savedLines: [...savedLines, ...pendingLines.slice(0, count)],
    pendingLines: pendingLines.slice(count),
  });
}

/** Parses a stored list field by field. Returns an empty list when the stored value is not a list. */
export function parsePurchaseList(text: string | null): StoredPurchaseList {
  const fields = parseFields(text);
  const readLineNumbers = (value: unknown) => (Array.isArray(value) ? value.filter(Number.isInteger) : []);
  if (typeof fields.text !== "string") return EMPTY_PURCHASE_LIST;
  return {
    text: fields.text,
    isOpen: fields.isOpen === true,
    choices: parseListChoices(fields.choices),
    isConfirmed: fields.isConfirmed === true,
    excludedLines: Array.isArray(fields.excludedLines) ? readLineNumbers(fields.excludedLines) : null,
    savedLines: readLineNumbers(fields.savedLines),
    pendingLines: readLineNumbers(fields.pendingLines),
    pendingSaveKey: String(fields.pendingSaveKey ?? ""),
  };
}
