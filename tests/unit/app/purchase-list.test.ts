import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  EMPTY_PURCHASE_LIST,
  isPurchaseListWaiting,
  loadPurchaseList,
  parsePurchaseList,
  recordSavedLines,
  recordSaveStart,
  updatePurchaseList,
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
  expect(isPurchaseListWaiting("me")).toBe(false);
  updatePurchaseList("me", { text: "a list", isOpen: true, excludedLines: [9] });
  expect(isPurchaseListWaiting("me")).toBe(true);
  recordSaveStart("me", [7, 3], [4.02, 27.63]);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isPurchaseListWaiting("me"), "the other line has not landed").toBe(true);
  recordSavedLines("me", 1, [4.02, 27.63]);
  expect(isPurchaseListWaiting("me")).toBe(false);
});

test("the page removes landed lines from the list in the order of the save", () => {
  const purchases = [4.02, 27.63, 9.5];
  updatePurchaseList("me", { text: "a list", isOpen: true });
  recordSaveStart("me", [7, 3, 9], purchases);
  recordSavedLines("me", 2, purchases);
  expect(loadPurchaseList("me")).toMatchObject({ savedLines: [7, 3], pendingLines: [9] });
  recordSavedLines("me", 1, [27.63]);
  expect(loadPurchaseList("me"), "a save of other purchases removes no line").toMatchObject({
    savedLines: [7, 3],
    pendingLines: [9],
  });
  recordSavedLines("me", 500, purchases);
  expect(loadPurchaseList("me")).toMatchObject({ savedLines: [7, 3, 9], pendingLines: [] });
  const storedFields = {
    open: true,
    excluded: null,
    saved: [7, 3, 9],
    pending: [],
    pendingPurchases: "4.02,27.63,9.5",
  };
  expect(JSON.parse(storedTexts.get("roundup-list:me")!), "stored names never change").toMatchObject(storedFields);
  expect(loadPurchaseList("another wallet")).toEqual(EMPTY_PURCHASE_LIST);
});

test("the page drops the invalid fields of a stored list", () => {
  for (const text of [null, "broken", "7", "[]", '{"text":7}'])
    expect(parsePurchaseList(text)).toEqual(EMPTY_PURCHASE_LIST);
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
  expect(parsePurchaseList(JSON.stringify(list))).toEqual({
    ...{ ...EMPTY_PURCHASE_LIST, text: "a", rates: { EUR: "1.1" }, amountByLine: { 3: "4.5" } },
    excludedLines: [1],
  });
});

test("the page removes the previous list when the new one does not fit in storage", () => {
  updatePurchaseList("me", { text: "small" });
  updatePurchaseList("me", { text: "x".repeat(20_000) });
  expect(loadPurchaseList("me")).toEqual(EMPTY_PURCHASE_LIST);
});
