import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  changeList,
  isListWaiting,
  NEW_LIST,
  readList,
  recordSavedLines,
  recordSaveStart,
  storedList,
} from "../../../app/_client/local-storage/list";

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal("window", { dispatchEvent: () => true });
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > 10_000) throw new Error("QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key: string) => kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a list waits until it is saved; the lines that the person excluded do not", () => {
  expect(isListWaiting("me")).toBe(false);
  changeList("me", { text: "a list", open: true, excluded: [9] });
  expect(isListWaiting("me")).toBe(true);
  recordSaveStart("me", [7, 3], [4.02, 27.63]);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isListWaiting("me"), "one line has not landed").toBe(true);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isListWaiting("me")).toBe(false);
});

test("removes landed lines from the list in the order of the save", () => {
  const purchases = [4.02, 27.63, 9.5];
  changeList("me", { text: "a list", open: true });
  recordSaveStart("me", [7, 3, 9], purchases);
  recordSavedLines("me", 2, purchases);
  expect(storedList("me")).toMatchObject({ saved: [7, 3], pending: [9] });
  recordSavedLines("me", 1, [27.63]);
  expect(storedList("me"), "another saving that lands meanwhile is none of its lines").toMatchObject({
    saved: [7, 3],
    pending: [9],
  });
  recordSavedLines("me", 500, purchases);
  expect(storedList("me")).toMatchObject({ saved: [7, 3, 9], pending: [] });
  expect(storedList("another wallet")).toEqual(NEW_LIST);
});

test("ignores an invalid stored list and drops invalid fields", () => {
  for (const text of [null, "broken", "7", "[]", '{"text":7}']) expect(readList(text)).toEqual(NEW_LIST);
  const odd = {
    text: "a",
    open: 1,
    spending: "maybe",
    decimal: "dot",
    rates: { EUR: 1.1 },
    excluded: [1, "x"],
    saved: 7,
  };
  expect(readList(JSON.stringify(odd))).toEqual({ ...NEW_LIST, text: "a", rates: { EUR: "1.1" }, excluded: [1] });
});

test("removes the previous list when the new one does not fit in storage", () => {
  changeList("me", { text: "small" });
  changeList("me", { text: "x".repeat(20_000) });
  expect(storedList("me")).toEqual(NEW_LIST);
});
