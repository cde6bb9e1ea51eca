import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  EMPTY_LIST,
  isListWaiting,
  loadList,
  parseList,
  recordSavedLines,
  recordSaveStart,
  updateList,
} from "../../../app/_client/local-storage/purchase-list";

const storedTexts = new Map<string, string>();
beforeEach(() => {
  storedTexts.clear();
  vi.stubGlobal("window", { dispatchEvent: () => true });
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storedTexts.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > 10_000) throw new Error("QuotaExceededError");
      storedTexts.set(key, value);
    },
    removeItem: (key: string) => storedTexts.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a list waits until every line that the user did not exclude is saved", () => {
  expect(isListWaiting("me")).toBe(false);
  updateList("me", { text: "a list", open: true, excluded: [9] });
  expect(isListWaiting("me")).toBe(true);
  recordSaveStart("me", [7, 3], [4.02, 27.63]);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isListWaiting("me"), "the other line has not landed").toBe(true);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isListWaiting("me")).toBe(false);
});

test("the page removes landed lines from the list in the order of the save", () => {
  const purchases = [4.02, 27.63, 9.5];
  updateList("me", { text: "a list", open: true });
  recordSaveStart("me", [7, 3, 9], purchases);
  recordSavedLines("me", 2, purchases);
  expect(loadList("me")).toMatchObject({ saved: [7, 3], pending: [9] });
  recordSavedLines("me", 1, [27.63]);
  expect(loadList("me"), "a save of other purchases removes no line").toMatchObject({
    saved: [7, 3],
    pending: [9],
  });
  recordSavedLines("me", 500, purchases);
  expect(loadList("me")).toMatchObject({ saved: [7, 3, 9], pending: [] });
  expect(loadList("another wallet")).toEqual(EMPTY_LIST);
});

test("the page drops the invalid fields of a stored list", () => {
  for (const text of [null, "broken", "7", "[]", '{"text":7}']) expect(parseList(text)).toEqual(EMPTY_LIST);
  const list = {
    text: "a",
    open: 1,
    spending: "maybe",
    decimal: "dot",
    rates: { EUR: 1.1 },
    amounts: { 3: 4.5 },
    excluded: [1, "x"],
    saved: 7,
  };
  expect(parseList(JSON.stringify(list))).toEqual({
    ...{ ...EMPTY_LIST, text: "a", rates: { EUR: "1.1" }, amounts: { 3: "4.5" } },
    excluded: [1],
  });
});

test("the page removes the previous list when the new one does not fit in storage", () => {
  updateList("me", { text: "small" });
  updateList("me", { text: "x".repeat(20_000) });
  expect(loadList("me")).toEqual(EMPTY_LIST);
});
