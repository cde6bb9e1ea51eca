import { describe, expect, test } from "vitest";
import { createExampleList } from "@/lib/domain/purchases/example-list";
import { type ListChoices, readPurchases } from "@/lib/domain/purchases/read-purchases";
import { DAY_MS } from "@/lib/domain/time";

const read = (lines: string[], choices?: ListChoices) => {
  const { purchases, unreadRows, ...rest } = readPurchases(lines.join("\n"), choices);
  return {
    amounts: purchases.map(({ amountUsd }) => amountUsd),
    unreadLines: unreadRows.map(({ line }) => line),
    ...rest,
  };
};
const readAmounts = (lines: string[], choices?: ListChoices) => read(lines, choices).amounts;

describe("the sign of spending", () => {
  const accountRows = [
    "Details,Posting Date,Description,Amount",
    "DEBIT,11/02/2026,CORNER BAKERY,-4.35",
    "DEBIT,11/03/2026,GROCERIES,-37.18",
    "CREDIT,11/04/2026,ACME PAYROLL,2500.00",
  ];

  test("is the more frequent sign unless the user picks the other", () => {
    expect(read(accountRows)).toMatchObject({
      amounts: [4.35, 37.18],
      unreadLines: [4],
      hasBothSigns: true,
      spendingSign: "minus",
    });
    const plain = read(accountRows, { spendingSign: "plain" });
    expect(plain).toMatchObject({ amounts: [2500], unreadLines: [2, 3], hasBothSigns: true, spendingSign: "plain" });
  });

  test("is the only sign that occurs", () => {
    const minus = read(accountRows.slice(0, 3));
    expect(minus).toMatchObject({
      amounts: [4.35, 37.18],
      unreadLines: [],
      hasBothSigns: false,
      spendingSign: "minus",
    });
    expect(read(["2026-11-02,Bakery,4.35"])).toMatchObject({ amounts: [4.35], unreadLines: [], hasBothSigns: false });
  });
});

describe("the amount column", () => {
  test("is not the balance after it or the number before it", () => {
    const rows = ["1001,2026-11-02,Bakery,4.35,1200.10", "1002,2026-11-03,Groceries,37.18,1162.92"];
    expect(readAmounts(rows)).toEqual([4.35, 37.18]);
  });

  test("is not a second date", () => {
    const rows = ["Date,Value date,Text,Amount", "2026-11-02,2026-11-03,Bakery,4.35"];
    expect(read(rows)).toMatchObject({ amounts: [4.35], unreadLines: [] });
  });

  test("may hold whole amounts if no amount has cents", () => {
    expect(readAmounts(["2026-11-02,Cinema,24", "2026-11-03,Book,18"])).toEqual([24, 18]);
  });
});

describe("an amount with a decimal comma", () => {
  test.each([
    ["in a list of amounts alone", ["12,40", "7,15", "3,99"]],
    ["in a column with a title", ["Betrag", "12,40", "7,15", "3,99"]],
    ["behind a text", ["Bäcker 12,40", "Kiosk 7,15", "2026-11-02 Blumen 3,99"]],
    ["with a currency symbol", ["$12,40", "7,15 $", "USD 3,99"]],
    ["between semicolons", ["datum;text;betrag", "1.10.2026;Brot;12,40", "2.10.2026;Kiosk;7,15", ";;3,99"]],
    ["in quotes", ['Brot,"12,40"', 'Kiosk,"7,15"', 'Tee,"3,99"']],
    ["unquoted under a header", ["datum,text,betrag", "1.10.,Brot,12,40", "2.10.,Kiosk,7,15", "3.10.,Tee,3,99"]],
  ])("is read as one amount %s", (_, lines) => {
    expect(read(lines)).toMatchObject({ amounts: [12.4, 7.15, 3.99], unreadLines: [], ambiguousAmount: null });
  });

  test("is not read until the user says whether the comma separates two columns", () => {
    const lines = ["1.10.2026,Brot,12,40", "2.10.2026,Kiosk,7,15"];
    const ambiguousAmount = { sample: "12,40", comma: "12.40", point: "12 and 40, two columns" };
    expect(read(lines)).toMatchObject({ amounts: [], unreadLines: [1, 2], ambiguousAmount });
    expect(read(lines, { decimal: "comma" })).toMatchObject({ amounts: [12.4, 7.15], ambiguousAmount });
    expect(read(lines, { decimal: "point" }).ambiguousAmount).toEqual(ambiguousAmount);
  });

  test("is evidence for the separators of the list's other amounts", () => {
    expect(readAmounts(["1.234,50", "1.234", "2"])).toEqual([1234.5, 1234, 2]);
    expect(readAmounts(["1,234.50", "1,234", "2"])).toEqual([1234.5, 1234, 2]);
    expect(readAmounts(["1 234,50", "1'234.50"])).toEqual([1234.5, 1234.5]);
  });

  test("is left to the user's choice if the list gives no evidence for its separator", () => {
    const lines = ["1,234", "5"];
    const ambiguousAmount = { sample: "1,234", point: "1234", comma: "1.234" };
    expect(read(lines)).toMatchObject({ amounts: [5], unreadLines: [1], ambiguousAmount });
    expect(read(lines, { decimal: "point" })).toMatchObject({ amounts: [1234, 5], unreadLines: [], ambiguousAmount });
    expect(read(lines, { decimal: "comma" })).toMatchObject({ amounts: [1.234, 5], unreadLines: [], ambiguousAmount });
  });

  test("is rejoined from a row with too many columns, or left unread if that yields no amount", () => {
    const lines = ["date,what,amount", "1,Rent,1,234.50", "2,Lunch, with Ann,9.25", "3,Tea,3.60"];
    expect(read(lines)).toMatchObject({ amounts: [1234.5, 3.6], unreadLines: [3] });
    expect(read(lines.slice(1)), "without a header").toMatchObject({ amounts: [9.25], unreadLines: [1, 3] });
    expect(readAmounts(["Tea,3.60", "Bread,4.35", "Rent,1,234.50"]), "narrower than one row").toEqual([
      3.6, 4.35, 1234.5,
    ]);
  });

  test("is left unread if a space may group thousands or separate text from the amount", () => {
    expect(read(["Bakery 1 234,50", "Kiosk 7,15"])).toMatchObject({ amounts: [7.15], unreadLines: [1] });
    expect(readAmounts(["2026-11-02 345,60"])).toEqual([345.6]);
  });
});

describe("a line without columns", () => {
  test.each([
    ["the number with a dollar sign", "Lunch for 2 $12.50 with Ann", 12.5, "Lunch for 2 with Ann"],
    ["dollars before another currency", "Hotel 80.00 € or $86.40", 86.4, "Hotel 80.00 € or"],
    ["the only number with two decimals", "Visa 4242 Coffee 4.35 x 2", 4.35, "Visa 4242 Coffee x 2"],
    ["the only number", "Tea 3", 3, "Tea"],
    ["a number after a short word that is not a currency", "Bus 2.90", 2.9, "Bus"],
    ["a number beside a day and its month", "12.05. Bakery 4.35", 4.35, "12.05. Bakery"],
    ["a number beside the name of a month", "12 May 2026 Rent 900", 900, "12 May 2026 Rent"],
    ["a number beside the end of a card", "Card ending in 4242, Laptop 120", 120, "Card ending in 4242, Laptop"],
    ["a number beside a time", "Cinema 24 11:30", 24, "Cinema 11:30"],
    ["a number beside a number within a word", "7-Eleven 5", 5, "7-Eleven"],
  ])("takes as its amount %s", (_, line, amountUsd, description) => {
    expect(readPurchases(line)).toMatchObject({ purchases: [{ amountUsd, description }], unreadRows: [] });
  });

  test.each([
    "Visa 4242",
    "Bakery 12.05.",
    "Bakery 12 May",
    "Bakery May 12, 2026",
    "Bakery 11:30",
    "Bakery 5 pm",
    "7-Up",
  ])("has no amount: %s", (line) => {
    const { purchases, unreadRows, unclearLines } = readPurchases(`Tea 3.10\n${line}`);
    expect(purchases).toHaveLength(1);
    expect([unreadRows, unclearLines]).toEqual([[{ line: 2, reason: "has no amount" }], []]);
  });

  test.each([
    ["Coffee 4.35 6.20", ["4.35", "6.20"]],
    ["2 Teas 5", ["2", "5"]],
    ["Bakery 1 234,50", ["1 234,50", "234,50"]],
    ["Coffee 4 May 12", ["4", "12"]],
    ["Bakery 2026", ["2026"]],
    ["Card, shop 1200", ["1200"]],
    ["Tip 2 EUR 5.00", ["EUR 5.00", "2 EUR"]],
  ])("asks which number of “%s” is the amount, and reads the answer", (line, candidates) => {
    const text = `Tea 3.10\n${line}`;
    expect(readPurchases(text)).toMatchObject({
      purchases: [{ id: 1 }],
      unreadRows: [{ line: 2, reason: "does not say which number is the amount; say above" }],
      unclearLines: [{ line: 2, content: line, candidates }],
    });
    const answer = { amounts: { 2: candidates[0]! }, rates: { EUR: 1 }, decimal: "point" } as const;
    expect(readPurchases(text, answer).purchases).toHaveLength(2);
    expect(readPurchases(text, { amounts: { 2: "99" } }).purchases, "not one of the numbers").toHaveLength(1);
  });

  test.each([
    ["another line has a comma", ["Coffee 4.35", "Lunch, with Ann 12.50"], [4.35, 12.5]],
    [
      "other lines have columns",
      ["2026-11-02, Bakery, 5.20", "Coffee 4.35", "2026-11-03, Pizza, 15.15"],
      [5.2, 4.35, 15.15],
    ],
    ["no column holds the amounts", ["2026-11-02; Coffee 4.35", "2026-11-03; Tea 3.10"], [4.35, 3.1]],
  ])("is read although %s", (_, lines, amounts) => {
    expect(read(lines)).toMatchObject({ amounts, unreadLines: [], unclearLines: [] });
  });

  test("is left out of a file with a header row, because it is the bank's note", () => {
    const lines = ["Balance 500.00", "date,text,amount", "1,Bakery,5.20", "2,Pizza,15.15", "3,Tea,3.60"];
    expect(read(lines)).toMatchObject({ amounts: [5.2, 15.15, 3.6], unreadLines: [1, 2] });
    expect(read([...lines.slice(1), "Total 23.95"])).toMatchObject({ amounts: [5.2, 15.15, 3.6], unreadLines: [5] });
  });
});

describe("other currencies", () => {
  const lines = [
    "Date,Description,Amount,Currency",
    "1,Bakery,4.35,USD",
    "2,Café,3.60,EUR",
    "3,Pub,5.00,gbp",
    "4,Bar,2,EUR",
  ];

  test("are left unread with the reason and listed with their number of purchases", () => {
    const { purchases, unreadRows, currencies } = readPurchases(lines.join("\n"));
    expect(purchases.map(({ amountUsd }) => amountUsd)).toEqual([4.35]);
    expect(unreadRows.map(({ reason }) => reason.slice(0, 22))).toEqual([
      "in EUR, not in dollars",
      "in GBP, not in dollars",
      "in EUR, not in dollars",
    ]);
    expect(currencies).toEqual([
      { currency: "EUR", count: 2 },
      { currency: "GBP", count: 1 },
    ]);
  });

  test("are converted to the nearest cent at the rate that the user enters", () => {
    const { purchases } = readPurchases(lines.join("\n"), { rates: { EUR: 1.0837 } });
    expect(purchases.map(({ amountUsd }) => amountUsd)).toEqual([4.35, 3.9, 2.17]);
    expect(purchases[1]!.foreign).toEqual({ amount: 3.6, currency: "EUR" });
  });

  test.each([
    ["a symbol beside the amount", ["1,4.35 €", "2,£5.00", "3,CHF 7.50"]],
    ["a symbol in a line without columns", ["Bus € 4.35", "Pub 5.00 gbp", "Bar CHF 7.50 paid"]],
    ["a dollar that is not the American", ["Bus HK$ 4.35", "Pub NZ$5.00", "Bar 7.50 A$"]],
    ["a column without a name", ["2026-11-01,4.35,EUR", "2026-11-02,5.00,GBP", "2026-11-02,7.50,CHF"]],
    ["the title of the amount column", ["Text,Betrag (EUR)", "Brot,4.35", "Kiosk,5.00", "Tee,7.50"]],
    ["an unknown word", ["Text,Amount,Currency", "a,4.35,points", "b,5.00,miles", "c,7.50,stars"]],
  ])("are never taken for dollars: %s", (_, rows) => {
    expect(read(rows)).toMatchObject({ amounts: [] });
    expect(read(rows).unreadLines).toHaveLength(3);
  });

  test("are not taken from a currency column that belongs to another amount", () => {
    const rows = ["Text,Amount (USD),Type Foreign Currency", "Café,3.60,EUR"];
    expect(read(rows)).toMatchObject({ amounts: [3.6], currencies: [] });
  });
});

test("a purchase's id is its line number in the text, with blank and skipped lines counted", () => {
  const { purchases, unreadRows } = readPurchases("Text,Amount\nBread,4.35\n\nRefund,-2.00\nBread,4.35\n");
  expect(purchases.map(({ id, isDuplicate }) => [id, isDuplicate])).toEqual([
    [2, false],
    [5, true],
  ]);
  expect(unreadRows).toEqual([{ line: 4, reason: "money that came in, not a purchase" }]);
});

test("2,000 rows are read as 2,000 purchases", () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => `2026-10-01,Shop ${i},${(3 + i / 100).toFixed(2)}`);
  expect(read(["date,what,amount", ...rows])).toMatchObject({ unreadLines: [], ambiguousAmount: null });
  expect(readAmounts(rows)).toHaveLength(2_000);
});

test.each([Date.UTC(2026, 0, 1, 0, 1), Date.UTC(2028, 1, 29, 23, 59)])(
  "the example list raises no question and has only days before today (now: %d)",
  (now) => {
    const { purchases, ...rest } = readPurchases(createExampleList(now));
    expect(purchases).toHaveLength(20);
    expect(rest).toEqual({
      unreadRows: [],
      spendingSign: "plain",
      hasBothSigns: false,
      ambiguousAmount: null,
      unclearLines: [],
      currencies: [],
    });
    for (const { date } of purchases) expect(Date.parse(date)).toBeLessThan(now - (now % DAY_MS));
  },
);
