import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  EMPTY_PURCHASE_LIST,
  isPurchaseListWaiting,
  loadPurchaseList,
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
  expect(loadPurchaseList("another wallet")).toEqual(EMPTY_PURCHASE_LIST);
});

test("a list that does not fit in storage lasts until a reload, and the reload restores no earlier version of it", () => {
  updatePurchaseList("me", { text: "small" });
  updatePurchaseList("me", { text: "x".repeat(20_000) });
  expect(loadPurchaseList("me").text).toHaveLength(20_000);
  expect(storedTexts.has("roundup-list:me")).toBe(false);
});
