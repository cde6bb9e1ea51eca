"use client";

import { useCallback, useMemo } from "react";
import type { Spending } from "@/lib/domain/purchases/read-purchases";
import type { Decimal } from "@/lib/domain/purchases/readings";
import { storeValue, useStoredValue } from "./stored-value";

/** A pasted list with what was chosen for it, per wallet in this browser, until all of it is saved or another is wanted. */
export interface StoredList {
  text: string;
  /** Its round-ups are shown; else it is still being pasted. */
  open: boolean;
  spending?: Spending;
  decimal?: Decimal;
  /** Dollars for one of a currency, as typed. */
  rates: Record<string, string>;
  /** Lines left out by hand; null until somebody does: then those that stand there twice. */
  excluded: number[] | null;
  /** Lines that are saved. */
  saved: number[];
  /** Lines of the saving that was begun last, in its order, without those that have landed. */
  asked: number[];
  /** What tells that saving from another one, of whatever tab. */
  askedFor: string;
}

export const NEW_LIST: StoredList = {
  text: "",
  open: false,
  rates: {},
  excluded: null,
  saved: [],
  asked: [],
  askedFor: "",
};

const keyOf = (wallet: string) => `roundup-list:${wallet}`;

/** Only in the browser. */
export const storedList = (wallet: string): StoredList => readList(localStorage.getItem(keyOf(wallet)));

export function useList(wallet: string): [StoredList, (next: Partial<StoredList>) => void] {
  const text = useStoredValue(keyOf(wallet));
  const list = useMemo(() => readList(text), [text]);
  const change = useCallback((next: Partial<StoredList>) => changeList(wallet, next), [wallet]);
  return [list, change];
}

export function changeList(wallet: string, next: Partial<StoredList>): void {
  const list = { ...storedList(wallet), ...next };
  try {
    storeValue(keyOf(wallet), list.text === "" ? null : list);
  } catch {
    // The browser's room is full: the list of before goes, so that none comes back that is not this one.
    storeValue(keyOf(wallet), null);
  }
}

/** A saving of lines of the list begins. @param purchases USD, what is asked to be saved */
export function noteListAsked(wallet: string, lines: number[], purchases: readonly number[]): void {
  changeList(wallet, { asked: lines, askedFor: purchases.join() });
}

/** The next `count` lines of the saving that was begun are saved, if it was that one. @param purchases USD, of all of it */
export function noteListSaved(wallet: string, count: number, purchases: readonly number[]): void {
  const { asked, askedFor, saved } = storedList(wallet);
  if (asked.length === 0 || askedFor !== purchases.join()) return;
  changeList(wallet, { saved: [...saved, ...asked.slice(0, count)], asked: asked.slice(count) });
}

/** What was kept, part by part; anything else that may stand there is no list. */
export function readList(text: string | null): StoredList {
  const kept = parse(text);
  const lines = (value: unknown) => (Array.isArray(value) ? value.filter(Number.isInteger) : []);
  if (typeof kept.text !== "string") return NEW_LIST;
  return {
    text: kept.text,
    open: kept.open === true,
    ...((kept.spending === "plain" || kept.spending === "minus") && { spending: kept.spending }),
    ...((kept.decimal === "point" || kept.decimal === "comma") && { decimal: kept.decimal }),
    rates: Object.fromEntries(Object.entries(Object(kept.rates)).map(([name, rate]) => [name, String(rate)])),
    excluded: Array.isArray(kept.excluded) ? lines(kept.excluded) : null,
    saved: lines(kept.saved),
    asked: lines(kept.asked),
    askedFor: String(kept.askedFor ?? ""),
  };
}

function parse(text: string | null): Partial<Record<keyof StoredList, unknown>> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
