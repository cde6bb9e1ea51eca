import { type ActivityAmount, type ActivityItem, splitMovedAmounts } from "@/app/_client/queries/use-activity";
import { formatDecimal } from "@/lib/domain/money";

/** Column names that tax tools recognise. */
const COLUMNS = [
  "Date",
  "Type",
  "Sent Amount",
  "Sent Currency",
  "Received Amount",
  "Received Currency",
  "Fee Amount",
  "Fee Currency",
  "Net Worth Amount",
  "Net Worth Currency",
  "Net Worth Estimated",
  "Service Fee (SOL)",
  "Refundable Deposit (SOL)",
  "SOL Price (USD)",
  "Status",
  "TxHash",
] as const;

/** Matches cells that a spreadsheet would run as a formula. Plain numbers, including negative ones, are excluded. */
const FORMULA = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r]/;

/**
 * Converts a history to CSV, oldest first, as tax tools expect. Times are ISO in UTC, amounts are plain decimals, and
 * unknown values are empty. A transaction that moved several assets one way takes several rows, with fee and value on
 * the first.
 */
export async function createActivityCsv(items: readonly ActivityItem[]): Promise<string> {
  const { unparse } = await import("papaparse");
  const data = [...items].reverse().flatMap(toRows);
  return `${unparse({ fields: [...COLUMNS], data }, { escapeFormulae: FORMULA })}\r\n`;
}

function toRows(item: ActivityItem): string[][] {
  const { sent, received } = splitMovedAmounts(item);
  const rows = Math.max(1, sent.length, received.length);
  return Array.from({ length: rows }, (_, i) => [
    item.time ?? "",
    item.topup ? "top_up" : item.type,
    ...toCells(sent[i]),
    ...toCells(received[i]),
    ...(i === 0 ? toCellsOnce(item) : ["", "", "", "", "", "", "", ""]),
    item.status,
    item.txSignature,
  ]);
}

/**
 * Returns amount and asset name, without a sign: the column gives the direction. An unknown asset is named by its mint.
 */
function toCells(amount: ActivityAmount | undefined): [string, string] {
  if (!amount) return ["", ""];
  return [formatDecimal(amount.amount.replace("-", ""), amount.decimals), amount.asset ? amount.symbol : amount.mint];
}

function toCellsOnce(item: ActivityItem): string[] {
  const { networkFeeLamports, serviceFeeLamports, tokenAccountDepositLamports, usdValue, estimated, priceUsd } = item;
  return [
    ...(networkFeeLamports === null ? ["", ""] : [formatDecimal(networkFeeLamports, 9), "SOL"]),
    ...(usdValue === null ? ["", ""] : [String(usdValue), "USD"]),
    estimated ? "yes" : "",
    serviceFeeLamports === null ? "" : formatDecimal(serviceFeeLamports, 9),
    tokenAccountDepositLamports === 0 ? "" : formatDecimal(tokenAccountDepositLamports, 9),
    priceUsd === null ? "" : String(priceUsd),
  ];
}
