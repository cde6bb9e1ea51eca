import { describe, expect, test } from "vitest";
import { EXAMPLE_CSV, readPurchases, type Spending } from "../../../app/dashboard/round-up/_components/purchases-csv";

const read = (lines: string[], spending?: Spending) => {
  const { purchases, unread, mixed, ...rest } = readPurchases(lines.join("\n"), spending);
  return { amounts: purchases.map(({ amountUsd }) => amountUsd), left: unread.map(({ line }) => line), mixed, ...rest };
};

describe("which sign is spending", () => {
  const account = [
    "Details,Posting Date,Description,Amount",
    "DEBIT,11/02/2026,CORNER BAKERY,-4.35",
    "DEBIT,11/03/2026,GROCERIES,-37.18",
    "CREDIT,11/04/2026,ACME PAYROLL,2500.00",
  ];

  test("the more frequent one, the rest is left out; and the other when the person says so", () => {
    expect(read(account)).toEqual({ amounts: [4.35, 37.18], left: [4], mixed: true, spending: "minus" });
    expect(read(account, "plain")).toEqual({ amounts: [2500], left: [2, 3], mixed: true, spending: "plain" });
    expect(readPurchases(EXAMPLE_CSV)).toMatchObject({ mixed: true, spending: "plain" });
  });

  test("the only one there is", () => {
    expect(read(account.slice(0, 3))).toEqual({ amounts: [4.35, 37.18], left: [], mixed: false, spending: "minus" });
    expect(read(["2026-11-02,Bakery,4.35"])).toEqual({ amounts: [4.35], left: [], mixed: false, spending: "plain" });
  });
});

describe("which column is the amount", () => {
  test("not the balance after it, not the number before it", () => {
    const rows = ["1001,2026-11-02,Bakery,4.35,1200.10", "1002,2026-11-03,Groceries,37.18,1162.92"];
    expect(read(rows).amounts).toEqual([4.35, 37.18]);
  });

  test("not a second date", () => {
    const rows = ["Date,Value date,Text,Amount", "2026-11-02,2026-11-03,Bakery,4.35"];
    expect(read(rows)).toMatchObject({ amounts: [4.35], left: [] });
  });

  test("whole amounts, when there are no cents at all", () => {
    expect(read(["2026-11-02,Cinema,24", "2026-11-03,Book,18"]).amounts).toEqual([24, 18]);
  });
});
