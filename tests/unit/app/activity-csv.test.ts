import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { type ActivityItem, computeMovedAmounts } from "@/app/_client/queries/activity";
import { sumHistory } from "@/app/dashboard/_components/activity-sums";
import { createActivityCsv } from "@/app/dashboard/activity/_components/activity-csv";
import { NATIVE_MINT } from "@/lib/solana/programs";

type Amount = ActivityItem["amounts"][number];
const createSolAmount = (amount: string): Amount => ({
  asset: "SOL",
  symbol: "SOL",
  mint: NATIVE_MINT,
  amount,
  decimals: 9,
  change: Number(amount) / 1e9,
});
const createBtcAmount = (amount: string): Amount => ({
  ...createSolAmount(amount),
  asset: "BTC",
  symbol: "BTC",
  mint: "btc-mint",
  decimals: 8,
});

const createUsdcAmount = (amount: string): Amount => ({
  ...createBtcAmount(amount),
  ...{ asset: "USDC", symbol: "USDC", mint: "usdc-mint", decimals: 6 },
});

const createItem = (overrides: Partial<ActivityItem> = {}): ActivityItem => ({
  txSignature: "signature",
  type: "swap",
  status: "confirmed",
  slot: 7,
  time: "2026-11-21T04:13:12.000Z",
  amounts: [createSolAmount("-102039280"), createBtcAmount("157400")],
  tokenAccountDepositLamports: 2_039_280,
  networkFeeLamports: 5_000,
  serviceFeeLamports: null,
  serviceFeeUnits: null,
  topup: false,
  referenceHash: null,
  usdValue: 15,
  estimated: false,
  pulled: null,
  priceUsd: 150,
  ...overrides,
});

async function readCsvRows(...csvInput: Parameters<typeof createActivityCsv>): Promise<Record<string, string>[]> {
  const csv = await createActivityCsv(...csvInput);
  return Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data;
}

const createWithdrawal = (amounts: Amount[], tokenAccountDepositLamports = 0) =>
  createItem({ type: "withdrawal", amounts, tokenAccountDepositLamports, usdValue: 12.605041 });

test.each([
  ["exclude a refundable deposit from what was spent", createItem(), ["-100000000", "157400"]],
  [
    "count a refunded deposit as sent when it leaves with the SOL",
    createWithdrawal([createSolAmount("-103304126")], -8_157_120),
    ["-111461246"],
  ],
  ["are none when the transaction only paid a deposit", createItem({ amounts: [createSolAmount("-2039280")] }), []],
])("the moved amounts %s", (_caseName, item, movedAmounts) => {
  expect(computeMovedAmounts(item).map(({ amount }) => amount)).toEqual(movedAmounts);
});

describe("createActivityCsv", () => {
  test("writes a swap as one row with both sides, fee, dollars and a separate deposit", async () => {
    expect(await readCsvRows([createItem()])).toEqual([
      {
        Date: "2026-11-21T04:13:12.000Z",
        Type: "swap",
        "Sent Amount": "0.1",
        "Sent Currency": "SOL",
        "Received Amount": "0.001574",
        "Received Currency": "BTC",
        "Fee Amount": "0.000005",
        "Fee Currency": "SOL",
        "Net Worth Amount": "15",
        "Net Worth Currency": "USD",
        "Net Worth Estimated": "",
        "Service Fee (SOL)": "0",
        "Service Fee (USDC)": "0",
        "Refundable Deposit (SOL)": "0.00203928",
        "SOL Price (USD)": "150",
        Status: "confirmed",
        TxHash: "signature",
      },
    ]);
  });

  test("sorts the oldest transaction first and leaves unknown values empty instead of 0", async () => {
    const undecodedFields = { type: "other", tokenAccountDepositLamports: 0 } as const;
    const unknownFields = { usdValue: null, priceUsd: null, networkFeeLamports: null, time: null };
    const rows = await readCsvRows([
      createItem({ txSignature: "new" }),
      createItem({ txSignature: "old", ...unknownFields, ...undecodedFields, amounts: [] }),
    ]);
    expect(rows.map(({ TxHash }) => TxHash)).toEqual(["old", "new"]);
    const unknownColumns = ["Net Worth Amount", "Fee Amount", "Fee Currency", "Date"];
    const transactionColumns = [
      "Service Fee (SOL)",
      "Service Fee (USDC)",
      "Refundable Deposit (SOL)",
      "SOL Price (USD)",
    ];
    for (const column of [...unknownColumns, ...transactionColumns]) expect(rows[0]![column], column).toBe("");
  });

  test("writes 0 for a deposit that a saving does not make, and for a network fee that another wallet pays", async () => {
    const [saving] = await readCsvRows([
      createItem({
        type: "round_up",
        amounts: [createSolAmount("50000000")],
        tokenAccountDepositLamports: 0,
        networkFeeLamports: null,
        serviceFeeLamports: 125_000,
        usdValue: 7.48125,
      }),
    ]);
    expect(saving, "exact, for a tax program").toMatchObject({ "Net Worth Amount": "7.48125" });
    expect(saving).toMatchObject({
      "Fee Amount": "0",
      "Fee Currency": "SOL",
      "Service Fee (SOL)": "0.000125",
      "Refundable Deposit (SOL)": "0",
    });
  });

  test("gives the worth of a saving in USDC to its USDC, not to the deposit that left with it", async () => {
    const amounts = [createSolAmount("-2039280"), createUsdcAmount("-1000000")];
    const fees = { serviceFeeLamports: 0, serviceFeeUnits: 10_000 };
    const item = createItem({ type: "round_up", usdValue: 1, amounts, tokenAccountDepositLamports: 0, ...fees });
    const worths = (await readCsvRows([item])).map((row) => [row["Sent Currency"], row["Net Worth Amount"]]);
    expect(worths).toEqual([
      ["SOL", ""],
      ["USDC", "1"],
    ]);
    expect((await readCsvRows([item]))[0]!["Service Fee (USDC)"]).toBe("0.01");
  });

  describe("the worth of assets sent together", () => {
    /** Reads the worth of 0.007 SOL and of each other amount, with "yes" if it is estimated. */
    const readWorths = async (otherAmounts: Amount[], prices?: Parameters<typeof createActivityCsv>[1]) => {
      const rows = await readCsvRows([createWithdrawal([createSolAmount("-7000000"), ...otherAmounts])], prices);
      return rows.map((row) => [row["Net Worth Amount"], row["Net Worth Estimated"]].filter(Boolean).join(", "));
    };
    const etherAmount = { ...createBtcAmount("-1000000"), asset: "ETH" as const, symbol: "ETH", mint: "eth-mint" };
    const PRICES = [
      { asset: "BTC" as const, points: [{ time: "2026-11-21T00:00:00.000Z", usd: 100_000 }] },
      {
        asset: "ETH" as const,
        points: [
          { time: "2026-11-20T00:00:00.000Z", usd: 500 },
          { time: "2026-11-21T00:00:00.000Z", usd: 300 },
          { time: "2026-11-22T00:00:00.000Z", usd: 900 },
        ],
      },
    ];

    test("SOL and one coin add up to the worth of the transaction", async () => {
      expect(await readWorths([createBtcAmount("-11500")])).toEqual(["1.05", "11.555041"]);
    });

    test("several coins share the rest by their daily prices, as estimates", async () => {
      const worths = await readWorths([createBtcAmount("-9000"), etherAmount], PRICES);
      expect(worths).toEqual(["1.05", "8.666281, yes", "2.88876, yes"]);
    });

    test("stays empty where no price tells the coins apart", async () => {
      expect(await readWorths([createBtcAmount("-9000"), etherAmount])).toEqual(["1.05", "", ""]);
    });
  });

  test("neutralises text that looks like a formula, but not a negative number", async () => {
    const formulaToken = { ...createBtcAmount("1"), asset: null, mint: '=HYPERLINK("x")' };
    const [row] = await readCsvRows([createItem({ amounts: [formulaToken], tokenAccountDepositLamports: -2_039_280 })]);
    expect(row!["Refundable Deposit (SOL)"]).toBe("-0.00203928");
    expect(row!["Received Currency"]).toBe(`'=HYPERLINK("x")`);
  });
});

describe("sumHistory", () => {
  test("adds savings and deposits, subtracts withdrawals and ignores swaps", () => {
    const sums = sumHistory([
      createItem({ type: "round_up", usdValue: 0.5, serviceFeeLamports: 10_000_000, tokenAccountDepositLamports: 0 }),
      createItem({ type: "deposit", usdValue: 2, tokenAccountDepositLamports: 0 }),
      createItem({ type: "withdrawal", usdValue: 1, tokenAccountDepositLamports: 0 }),
      createItem(),
    ]);
    expect(sums).toEqual({
      contributedUsd: 2.5,
      withdrawnUsd: 1,
      unknownCount: 0,
      feesUsd: 1.5,
      depositLamports: 2_039_280,
    });
  });

  test.each([
    ["paid by the main wallet counts as contributed", [], 1.295892],
    ["paid by the savings wallet does not", [createSolAmount("-2039280")], 0.99],
  ])("the deposit of a saving in USDC that is %s", (_caseName, solAmounts, contributedUsd) => {
    const amounts = [...solAmounts, createUsdcAmount("990000")];
    const fees = { serviceFeeLamports: 0, serviceFeeUnits: 10_000 };
    const saving = createItem({ type: "round_up", usdValue: 0.99, amounts, ...fees });
    expect(sumHistory([saving])).toMatchObject({ contributedUsd, feesUsd: 0.01, depositLamports: 2_039_280 });
  });

  test("counts a transaction without a value as unknown and ignores a failed one", () => {
    const sums = sumHistory([
      createItem({ type: "deposit", usdValue: null }),
      createItem({ type: "deposit", status: "failed" }),
    ]);
    expect([sums.contributedUsd, sums.unknownCount]).toEqual([0, 1]);
  });
});
