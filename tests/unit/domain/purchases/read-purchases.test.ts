import { describe, expect, test } from "vitest";
import { formatDecimal } from "@/lib/domain/money";
import { guessChoices } from "@/lib/domain/purchases/guess-choices";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import { readPurchases } from "@/lib/domain/purchases/read-purchases";
import { decodeText, parseTable } from "@/lib/domain/purchases/read-table";

/** Reads a list in dollars. Returns each row's amount, or the reason why it is left out. */
function read(lines: string[], choices: Partial<ListChoices> = {}): string[] {
  const table = parseTable(lines.join("\n"));
  const readings = readPurchases(table, { ...guessChoices(table), currency: "usd", ...choices });
  return readings.map(({ purchase, reason }) => (purchase ? formatDecimal(purchase.microUsd, 6) : reason!));
}
const readColumn = (cells: string[], choices?: Partial<ListChoices>) =>
  read(["Text;Amount", ...cells.map((cell) => `x;${cell}`)], choices);

describe("a file", () => {
  const toBytes = (text: string) => Buffer.from(text, "utf8");
  test.each([
    ["UTF-8 with a byte order mark", toBytes("\uFEFFBäcker")],
    ["Windows-1252", Buffer.from("Bäcker", "latin1")],
    ["UTF-16, little endian", Buffer.from("\uFEFFBäcker", "utf16le")],
    ["UTF-16, big endian", Buffer.from("\uFEFFBäcker", "utf16le").swap16()],
  ])("in %s is decoded", (_, bytes) => {
    expect(decodeText(bytes)).toBe("Bäcker");
  });

  test("that is not text is refused", () => {
    expect(decodeText(Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00]))).toBeNull();
  });

  test.each([
    ["semicolons beside texts with commas", "Brot, Tee, Eis;1,50\nKino, 2 Mal, Süd;2,50"],
    ["tabs", "Brot, Tee\t1,50\nKino, Süd\t2,50"],
    ["bars", "Brot|1,50\nKino|2,50"],
    ["the character of Excel's first line", "sep=/\nBrot/1,50\nKino/2,50"],
    ["a character that the first line names in quotes", '"sep=;"\nBrot;1,50\nKino;2,50'],
  ])("has columns separated by %s", (_, text) => {
    expect(parseTable(text).rows.map((row) => row.slice(1))).toEqual([["1,50"], ["2,50"]]);
  });

  test("is not split at decimal commas, but between a text and a whole amount", () => {
    expect(parseTable("Betrag\n12,40\n7,15").rows).toEqual([["Betrag"], ["12,40"], ["7,15"]]);
    expect(parseTable("Tea,4\nPie,5").rows.map((row) => row[1])).toEqual(["4", "5"]);
  });

  test("with a quotation mark that is never closed names its row", () => {
    expect(parseTable('a,1.50\nb,2.50\n"c,3.50\nd,4.50').openQuoteRow).toBe(3);
    expect(parseTable('a,1.50\n12" pizza,2.50\n"c ""d""\ne",3.50').openQuoteRow).toBeNull();
  });
});

describe("an amount", () => {
  test.each([
    ["$1,234.50", "1234.5"],
    ["USD 4.35", "4.35"],
    [".5", "0.5"],
    ["1,000,000.00", "1000000"],
    ["1,000,000.01", "more than $1,000,000"],
    ["9".repeat(39), "more than $1,000,000"],
    ["0.00", "an amount of zero"],
    ["", "no amount"],
    ["1.2.3", "the amount “1.2.3” cannot be read"],
    ["7-Eleven", "the amount “7-Eleven” cannot be read"],
    ["4,35", "“4,35” does not fit the chosen decimals"],
    ["(4.35)", "money that came in, not a purchase"],
    ["4.35-", "money that came in, not a purchase"],
    ["− 4.35", "money that came in, not a purchase"],
    ["4.35 €", "in €, not in US dollars"],
    ["HK$4.35", "in HK$, not in US dollars"],
    ["45.00 kr.", "in kr, not in US dollars"],
  ])("written as “%s” is read as %s", (cell, expected) => {
    const choices = { amount: 1, decimal: "point", spendingSign: "plain" } as const;
    expect(readColumn(["8.75", "12.40", cell], choices)).toEqual(["8.75", "12.4", expected]);
  });

  test("has the decimal separator that another amount of the column proves", () => {
    expect(readColumn(["1,234", "4.35"])).toEqual(["1234", "4.35"]);
    expect(readColumn(["1.234", "4,35", "1 234,50"])).toEqual(["1234", "4.35", "1234.5"]);
    expect(readColumn(["24", "18"])).toEqual(["24", "18"]);
  });

  test("is left out while nothing proves its decimal separator, and read as the person chooses", () => {
    const cells = ["1,234", "5"];
    expect(readColumn(cells)).toEqual(["“1,234” can be read in two ways; choose how decimals are written", "5"]);
    expect(readColumn(cells, { decimal: "point" })).toEqual(["1234", "5"]);
    expect(readColumn(cells, { decimal: "comma" })).toEqual(["1.234", "5"]);
  });

  test("that a comma split into two cells is left out", () => {
    expect(read(["date,text,amount", "1.10.2026,Brot,12,40"])[0]).toMatch(/^more columns than the list has/);
    expect(read(["1.10.2026,Brot,2.50", "1.10.2026,Tee,3.50", "1.10.2026,Brot,12,40"])[2]).toMatch(/^more columns/);
  });
});

test("a value that says “pending” or the like leaves its row out, unless the person keeps it", () => {
  const lines = ["Text,Amount,Status", "Tea,3.60,done", "Pie,4.35,Pending", "Cake,5.20,__proto__"];
  expect(read(lines)).toEqual(["3.6", "Status “Pending”", "5.2"]);
  const filters = [{ column: 2, kept: { Pending: true, done: false } }];
  expect(read(lines, { filters })).toEqual(["Status “done”", "4.35", "5.2"]);
});

test("a purchase's id is the row's number in a spreadsheet, and a repeated row is marked", () => {
  const table = parseTable("Text,Amount\nBread,4.35\n\nRefund,-2.00\nBread,4.35\n");
  const readings = readPurchases(table, { ...guessChoices(table), currency: "usd" });
  expect(readings.map(({ id, purchase }) => [id, purchase?.isDuplicate])).toEqual([
    [2, false],
    [4, undefined],
    [5, true],
  ]);
});
