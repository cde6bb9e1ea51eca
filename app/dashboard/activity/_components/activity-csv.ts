import { type ActivityAmount, type ActivityItem, splitMovedAmounts } from "@/app/_client/queries/activity";
import type { DataOf } from "@/lib/contracts/define";
import type { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import { ASSETS } from "@/lib/domain/assets";
import { formatDecimal, roundToMicro, toCoins } from "@/lib/domain/money";

type PriceSeries = NonNullable<DataOf<typeof getPriceHistoryContract>["series"]>;

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
  "Service Fee (USDC)",
  "Refundable Deposit (SOL)",
  "SOL Price (USD)",
  "Status",
  "TxHash",
] as const;

/** Matches cells that a spreadsheet would run as a formula. Plain numbers do not match, not even negative ones. */
const FORMULA_PATTERN = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r]/;

/**
 * Converts transactions to CSV, oldest first, as tax tools expect. Times are ISO in UTC, amounts are plain decimals, and
 * unknown values are empty. A transaction that moved several assets one way takes a row for each. Each row has its own
 * worth. The first row has the fee.
 * @param items newest first
 * @param prices daily prices, which split the worth of a transaction among several assets
 */
export async function createActivityCsv(items: readonly ActivityItem[], prices: PriceSeries = []): Promise<string> {
  const { unparse } = await import("papaparse");
  const rows = [...items].reverse().flatMap((item) => toRows(item, prices));
  return `${unparse({ fields: [...COLUMNS], data: rows }, { escapeFormulae: FORMULA_PATTERN })}\r\n`;
}

function toRows(item: ActivityItem, prices: PriceSeries): string[][] {
  const { sent, received } = splitMovedAmounts(item);
  const rowCount = Math.max(1, sent.length, received.length);
  const worths = splitWorth(item, sent.length > 0 ? sent : received, prices);
  return Array.from({ length: rowCount }, (_, i) => [
    item.time ?? "",
    item.topup ? "top_up" : item.type,
    ...toAmountCells(sent[i]),
    ...toAmountCells(received[i]),
    ...(i === 0 ? toFeeCells(item) : ["", ""]),
    ...toWorthCells(worths[i] ?? UNKNOWN_WORTH),
    ...(i === 0 ? toTransactionCells(item) : ["", "", "", ""]),
    item.status,
    item.txSignature,
  ]);
}

/** Returns amount and asset without a sign, which the column gives. An unknown asset is named by its mint. */
function toAmountCells(amount: ActivityAmount | undefined): [string, string] {
  if (!amount) return ["", ""];
  return [formatDecimal(amount.amount.replace("-", ""), amount.decimals), amount.asset ? amount.symbol : amount.mint];
}

interface Worth {
  /** USD; null if unknown. */
  usd: number | null;
  isEstimated: boolean;
}

const UNKNOWN_WORTH: Worth = { usd: null, isEstimated: false };

/**
 * Splits the worth of a transaction among the amounts that it moved. SOL is valued at its price at that time. The other
 * amounts share the rest in proportion to their worth at the daily prices. If any of them has no price, all of them stay
 * unknown.
 */
function splitWorth(item: ActivityItem, amounts: ActivityAmount[], prices: PriceSeries): Worth[] {
  const { type, usdValue, estimated, priceUsd, time } = item;
  const worth = { usd: usdValue, isEstimated: estimated };
  // The value of a saving is the value of its SOL alone, or of its USDC. SOL that left with it is a deposit.
  if (type === "round_up" && isUsdcSaving(item))
    return amounts.map(({ asset }) => (asset === "USDC" ? worth : UNKNOWN_WORTH));
  if (usdValue === null || type === "round_up" || amounts.length < 2) return [worth];
  const countCoins = ({ amount, decimals }: ActivityAmount) => Math.abs(toCoins(BigInt(amount), decimals));
  const hasKnownPrice = ({ asset }: ActivityAmount) => asset === "SOL" && priceUsd !== null;
  const unpricedAmounts = amounts.filter((amount) => !hasKnownPrice(amount));
  // A single amount takes all that remains, so it needs no price.
  const weigh = (amount: ActivityAmount) =>
    unpricedAmounts.length === 1 ? 1 : countCoins(amount) * findPriceUsd(prices, amount.asset, time);
  let remainingWeight = unpricedAmounts.reduce((sum, amount) => sum + weigh(amount), 0);
  let remainingUsd = usdValue;
  const takeFromRemaining = (usd: number, isEstimated: boolean): Worth => {
    remainingUsd = roundToMicro(remainingUsd - usd);
    return { usd, isEstimated };
  };
  const knownWorths = amounts.map((amount) =>
    hasKnownPrice(amount) ? takeFromRemaining(roundToMicro(countCoins(amount) * priceUsd!), estimated) : null,
  );
  return amounts.map((amount, i) => {
    if (knownWorths[i]) return knownWorths[i];
    if (!(remainingWeight > 0)) return UNKNOWN_WORTH;
    // Divide what remains, so that the rounded shares add up exactly.
    const weight = weigh(amount);
    const share = takeFromRemaining(
      roundToMicro((remainingUsd * weight) / remainingWeight),
      estimated || unpricedAmounts.length > 1,
    );
    remainingWeight -= weight;
    return share;
  });
}

/** Returns whether a saving saved USDC. A stranger can add USDC to one in SOL, which then still has its fee in SOL. */
const isUsdcSaving = ({ serviceFeeLamports, amounts }: ActivityItem): boolean =>
  serviceFeeLamports === 0 && amounts.some(({ asset }) => asset === "USDC");

/** Returns the newest daily price at or before `time`, USD, otherwise the first. NaN for an asset without prices. */
function findPriceUsd(prices: PriceSeries, asset: string | null, time: string | null): number {
  const points = prices.find((series) => series.asset === asset)?.points ?? [];
  const point = points.findLast((entry) => time === null || Date.parse(entry.time) <= Date.parse(time)) ?? points[0];
  return point?.usd ?? Number.NaN;
}

const toWorthCells = ({ usd, isEstimated }: Worth): string[] =>
  usd === null ? ["", "", ""] : [String(usd), "USD", isEstimated ? "yes" : ""];

/** Returns whether the service could read the transaction. If it could not, all that it reports is unknown. */
const isDecoded = ({ amounts, networkFeeLamports, tokenAccountDepositLamports }: ActivityItem): boolean =>
  amounts.length > 0 || networkFeeLamports !== null || tokenAccountDepositLamports !== 0;

/** Formats lamports of a decoded transaction. Null becomes 0: there was no such fee, or another wallet paid it. */
const formatSol = (lamports: number | null): string => formatDecimal(lamports ?? 0, ASSETS.SOL.decimals);

const toFeeCells = (item: ActivityItem): string[] =>
  isDecoded(item) ? [formatSol(item.networkFeeLamports), "SOL"] : ["", ""];

/** Returns the cells that only the first row of a transaction fills. */
function toTransactionCells(item: ActivityItem): string[] {
  const { serviceFeeLamports, serviceFeeUnits, tokenAccountDepositLamports, priceUsd } = item;
  const feeUsdc = formatDecimal(serviceFeeUnits ?? 0, ASSETS.USDC.decimals);
  return [
    ...(isDecoded(item)
      ? [formatSol(serviceFeeLamports), feeUsdc, formatSol(tokenAccountDepositLamports)]
      : ["", "", ""]),
    priceUsd === null ? "" : String(priceUsd),
  ];
}
