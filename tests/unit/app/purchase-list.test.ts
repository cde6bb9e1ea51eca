import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { guessChoices } from "@/lib/domain/purchases/guess-choices";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import { parseTable } from "@/lib/domain/purchases/read-table";
import { recallListChoices, rememberListChoices } from "../../../app/_client/local-storage/list-choices";
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
  expect(loadPurchaseList("another wallet")).toEqual(EMPTY_PURCHASE_LIST);
});

test("the page drops the invalid fields of a stored list", () => {
  for (const text of [null, "broken", "7", "[]", '{"text":7}'])
    expect(parsePurchaseList(text)).toEqual(EMPTY_PURCHASE_LIST);
  const list = {
    text: "a",
    isOpen: 1,
    isConfirmed: "yes",
    choices: { date: 0 },
    excludedLines: [1, "x"],
    savedLines: 7,
  };
  expect(parsePurchaseList(JSON.stringify(list))).toEqual({ ...EMPTY_PURCHASE_LIST, text: "a", excludedLines: [1] });
});

test("a list that does not fit in storage lasts until a reload, and the reload restores no earlier version of it", () => {
  updatePurchaseList("me", { text: "small" });
  updatePurchaseList("me", { text: "x".repeat(20_000) });
  expect(loadPurchaseList("me").text).toHaveLength(20_000);
  expect(storedTexts.has("roundup-list:me")).toBe(false);
});

describe("the choices of a list", () => {
  const table = parseTable("My bank\nDate,Text,Amount\n2026-11-02,Bakery,4.35");
  const choices: ListChoices = {
    ...guessChoices(table),
    currency: "usd",
    filters: [{ column: 1, kept: { a: false } }],
  };

  test("are recalled for the next list with the same header, wherever it stands", () => {
    expect(recallListChoices(table)).toBeNull();
    rememberListChoices(table, choices);
    expect(recallListChoices(table)).toEqual(choices);
    expect(recallListChoices(parseTable("Date,Text,Amount\n2026-12-01,Tea,3.60"))).toEqual({
      ...choices,
      headerRow: 0,
    });
    expect(recallListChoices(parseTable("Date,Text,Value\n2026-12-01,Tea,3.60"))).toBeNull();
  });

  test("are recalled by the number of columns when there is no header", () => {
    rememberListChoices(parseTable("2026-11-02;Tea;3,60"), { ...choices, headerRow: -1 });
    expect(recallListChoices(parseTable("2026-12-01;Pie;4,35"))).toEqual({ ...choices, headerRow: -1 });
    expect(recallListChoices(parseTable("2026-12-01;Pie;1;4,35"))).toBeNull();
  });

  test("are kept for the latest 20 headers while they are valid, and only until a reload once the storage is full", () => {
    const tables = Array.from({ length: 21 }, (_, i) => parseTable(`Date,Amount ${i} $\n2026-11-02,4.35`));
    for (const other of tables) rememberListChoices(other, { ...choices, headerRow: 0 });
    expect(tables.map((other) => recallListChoices(other) === null)).toEqual([true, ...Array(20).fill(false)]);
    const key = "roundup-list-choices";
    storedTexts.set(key, storedTexts.get(key)!.replaceAll('"usd"', '"eur"'));
    expect(recallListChoices(tables[9]!)).toBeNull();
    const longTable = parseTable(`Date,${"x".repeat(10_000)}\n2026-11-02,4.35`);
    rememberListChoices(longTable, { ...choices, headerRow: 0 });
    expect(recallListChoices(longTable)).toEqual({ ...choices, headerRow: 0 });
    expect(storedTexts.get(key)).not.toContain("xxx");
  });
});
