"use client";

import { useCallback } from "react";
import type { Decimal } from "@/lib/domain/purchases/decimal-separator";
import type { SpendingSign } from "@/lib/domain/purchases/read-purchases";
import { parseFields, storeValue, useParsedValue } from "./stored-value";

/**
 * A pasted list of purchases and the options chosen for it. Each wallet has one list in this browser. The list stays
 * until all its purchases are saved or the person starts a new one.
 */
export interface StoredPurchaseList {
  /** The list as pasted. */
  text: string;
  /** True once the list's round-ups are shown; false while the person is still pasting. */
  isOpen: boolean;
  /** Whether the list writes spent money as 4.35 or as -4.35; absent until the person answers. */
  spending?: SpendingSign;
  /** The list's decimal separator; absent until the person answers. */
  decimal?: Decimal;
  /** USD per unit of each currency, as typed. */
  rates: Record<string, string>;
  /** The amounts that the person named for unclear lines, as written, by line number. */
  amountByLine: Record<number, string>;
  /** Line numbers the person excluded. Null until the selection changes; until then, duplicate lines are excluded. */
  excludedLines: number[] | null;
  /** Line numbers whose round-up has been saved. */
  savedLines: number[];
  /** Line numbers of the latest save whose round-ups have not landed yet, in the order of that save. */
  pendingLines: number[];
  /** Identifies the latest save, so that a landed part of a different save (from any tab) is not counted. */
  pendingSaveKey: string;
}

export const EMPTY_PURCHASE_LIST: StoredPurchaseList = {
  text: "",
  isOpen: false,
  rates: {},
  amountByLine: {},
  excludedLines: null,
  savedLines: [],
  pendingLines: [],
  pendingSaveKey: "",
};

const toStorageKey = (wallet: string) => `roundup-list:${wallet}`;

/** Reads the stored list, or an empty list. Works in the browser only. */
export const loadPurchaseList = (wallet: string): StoredPurchaseList =>
  parsePurchaseList(localStorage.getItem(toStorageKey(wallet)));

/** Returns whether the wallet has an unsaved list. A list is done once its save has landed, despite excluded lines. */
export function isPurchaseListWaiting(wallet: string): boolean {
  const { text, savedLines, pendingLines } = loadPurchaseList(wallet);
  return text !== "" && (savedLines.length === 0 || pendingLines.length > 0);
}

/** Returns the wallet's list, and a function that merges changes into it. */
export function usePurchaseList(wallet: string): [StoredPurchaseList, (changes: Partial<StoredPurchaseList>) => void] {
  const update = useCallback((changes: Partial<StoredPurchaseList>) => updatePurchaseList(wallet, changes), [wallet]);
  return [useParsedValue(toStorageKey(wallet), parsePurchaseList), update];
}

/** Merges changes into the stored list. Removes the list when its text becomes empty or the storage is full. */
export function updatePurchaseList(wallet: string, changes: Partial<StoredPurchaseList>): void {
  const list = { ...loadPurchaseList(wallet), ...changes };
  try {
    storeValue(toStorageKey(wallet), list.text === "" ? null : toStoredFields(list));
  } catch {
    // The storage is full. If the previous list stayed, a reload would restore it instead of this one.
    storeValue(toStorageKey(wallet), null);
  }
}

/**
 * Records that a save of these lines has started.
 * @param purchases USD amounts of the whole save
 */
export function recordSaveStart(wallet: string, lineNumbers: number[], purchases: readonly number[]): void {
  updatePurchaseList(wallet, { pendingLines: lineNumbers, pendingSaveKey: purchases.join() });
}

/**
 * Marks the next `count` lines of the latest save as saved; an infinite count marks all. Ignores a different save.
 * @param purchases USD amounts of the whole save, which identify it
 */
export function recordSavedLines(wallet: string, count: number, purchases: readonly number[]): void {
  const { pendingLines, pendingSaveKey, savedLines } = loadPurchaseList(wallet);
  if (pendingLines.length === 0 || pendingSaveKey !== purchases.join()) return;
  updatePurchaseList(wallet, {
    savedLines: [...savedLines, ...pendingLines.slice(0, count)],
    pendingLines: pendingLines.slice(count),
  });
}

/** Returns the fields to store. Stored names never change, because a browser keeps lists of earlier versions. */
function toStoredFields(list: StoredPurchaseList) {
  const { isOpen, amountByLine, excludedLines, savedLines, pendingLines, pendingSaveKey, ...sameNames } = list;
  return {
    ...sameNames,
    open: isOpen,
    amounts: amountByLine,
    excluded: excludedLines,
    saved: savedLines,
    pending: pendingLines,
    pendingPurchases: pendingSaveKey,
  };
}

/**
 * Parses a stored list field by field. Returns an empty list when the stored value is not a list. An earlier version
 * wrote `asked` and `askedFor` instead of `pending` and `pendingPurchases`, and its save may land now.
 */
export function parsePurchaseList(text: string | null): StoredPurchaseList {
  const fields = parseFields(text);
  const readLineNumbers = (value: unknown) => (Array.isArray(value) ? value.filter(Number.isInteger) : []);
  const readTexts = (value: unknown) =>
    Object.fromEntries(Object.entries(Object(value)).map(([name, text]) => [name, String(text)]));
  if (typeof fields.text !== "string") return EMPTY_PURCHASE_LIST;
  return {
    text: fields.text,
    isOpen: fields.open === true,
    ...((fields.spending === "plain" || fields.spending === "minus") && { spending: fields.spending }),
    ...((fields.decimal === "point" || fields.decimal === "comma") && { decimal: fields.decimal }),
    rates: readTexts(fields.rates),
    amountByLine: readTexts(fields.amounts),
    excludedLines: Array.isArray(fields.excluded) ? readLineNumbers(fields.excluded) : null,
    savedLines: readLineNumbers(fields.saved),
    pendingLines: readLineNumbers(fields.pending ?? fields.asked),
    pendingSaveKey: String(fields.pendingPurchases ?? fields.askedFor ?? ""),
  };
}
