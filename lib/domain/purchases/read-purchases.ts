import { PURCHASE_USD_RANGE } from "../limits";
import { roundToCents } from "../money";
import { type AmountCell, inferDecimal, isAmbiguous, parseAmountCell, parseCurrency, toAmount } from "./amount-cell";
import { type Decimal, parseBothWays } from "./decimal-separator";
import { parseTable, type Row, type Table, type UnclearLine } from "./table";

/** One purchase from a bank or card export. */
export interface Purchase {
  /** Line number in the text, from 1. It does not depend on the user's choices, and tells equal purchases apart. */
  id: number;
  date: string;
  description: string;
  amountUsd: number;
  /** The amount paid in another currency. Null when it was paid in dollars. */
  foreign: { amount: number; currency: string } | null;
  /** True when an earlier row has the same date, description and amount. */
  isDuplicate: boolean;
}

interface UnreadRow {
  /** Line number in the text, from 1. */
  line: number;
  reason: string;
}

/** How the list writes money that was spent: as 4.35 or as -4.35. */
export type SpendingSign = "plain" | "minus";

/** The user's answers to questions that the list leaves open. */
export interface ListChoices {
  /** The sign of money that was spent, when both signs occur. Defaults to the more frequent one. */
  spendingSign?: SpendingSign | undefined;
  /** Decimal separator for ambiguous amounts. Ambiguous amounts are left out until it is set. */
  decimal?: Decimal | undefined;
  /** Dollars per unit of each foreign currency. Rows in currencies without a rate are left out. */
  rates?: Readonly<Record<string, number>> | undefined;
  /** The amounts of unclear lines as written, by line number. Other unclear lines are left out. */
  amounts?: Readonly<Record<number, string>> | undefined;
}

export interface Purchases {
  purchases: Purchase[];
  unreadRows: UnreadRow[];
  spendingSign: SpendingSign;
  /** True when both signs occur. Only the user knows which one means spending. */
  hasBothSigns: boolean;
  /** A sample of an amount that can be read in two ways, and both readings. Null when no amount is ambiguous. */
  ambiguousAmount: ({ sample: string } & Record<Decimal, string>) | null;
  /** The lines with several numbers that may be the amount. */
  unclearLines: UnclearLine[];
  /** Foreign currencies and their number of purchases, the most frequent first. */
  currencies: { currency: string; count: number }[];
}

/** Maximum number of purchases. Users do not review longer lists. */
const MAX_PURCHASES = 10_000;

/**
 * Reads purchases from pasted text or CSV: one amount per line, or columns separated by comma, semicolon, tab or bar. A
 * header is optional, and decimals use a point or a comma. Rows that are unreadable, ambiguous or not purchases are
 * listed in `unreadRows` with the reason.
 */
export function readPurchases(text: string, choices: ListChoices = {}): Purchases {
  const table = parseTable(text, choices.decimal ?? null, choices.amounts ?? {});
  const amountCells = table.rows.map(({ cells, doubt }) =>
    doubt ? null : parseAmountCell(cells[table.columns.amount] ?? ""),
  );
  const amounts = amountCells.filter((cell) => cell !== null);
  const inferredDecimal = inferDecimal(amounts);
  const ambiguousCell = inferredDecimal === null ? amounts.find(isAmbiguous) : undefined;
  const decimal = inferredDecimal ?? choices.decimal ?? null;
  const minusCount = amounts.filter(({ isNegative }) => isNegative).length;
  const plainCount = amounts.filter(({ isNegative, digits }) => !isNegative && /[1-9]/.test(digits)).length;
  const spendingSign = choices.spendingSign ?? (minusCount > plainCount ? "minus" : "plain");
  return {
    ...readRows(table, amountCells, { spendingSign, decimal, rates: choices.rates ?? {} }),
    spendingSign,
    hasBothSigns: plainCount > 0 && minusCount > 0,
    ambiguousAmount:
      table.splitSample !== null ? toSplitSample(table.splitSample) : ambiguousCell ? toSample(ambiguousCell) : null,
    unclearLines: table.unclearLines,
  };
}

function toSample({ digits }: AmountCell): Purchases["ambiguousAmount"] {
  const { point, comma } = parseBothWays(digits);
  return { sample: digits, point: String(point), comma: String(comma) };
}

const toSplitSample = (sample: string) => ({
  sample,
  comma: sample.replace(",", "."),
  point: sample.replace(",", " and ").concat(", two columns"),
});

interface ReadingTerms {
  spendingSign: SpendingSign;
  decimal: Decimal | null;
  rates: Readonly<Record<string, number>>;
}

function readRows(table: Table, amountCells: (AmountCell | null)[], terms: ReadingTerms) {
  const purchases: Purchase[] = [];
  const unreadRows: UnreadRow[] = [];
  const purchaseKeys = new Set<string>();
  const countByCurrency = new Map<string, number>();
  const headerCurrency = readHeaderCurrency(table.amountHeader);

  const findCurrency = (row: Row, cell: AmountCell): string => {
    const currencyText = row.cells[table.columns.currency]?.trim() ?? "";
    return currencyText
      ? (parseCurrency(currencyText) ?? currencyText.slice(0, 12))
      : (cell.currency ?? headerCurrency ?? "USD");
  };
  /** Adds the row's purchase. Returns why the row was left out, or null. */
  const addPurchase = (row: Row, cell: AmountCell | null): string | null => {
    const text = row.cells[table.columns.amount]?.trim() ?? "";
    if (row.doubt) return row.doubt;
    if (text === "") return "has no amount";
    if (cell === null) return `the amount “${text.slice(0, 30)}” cannot be read`;
    const signedAmount = toAmount(cell, terms.decimal);
    if (signedAmount === null) return `“${text.slice(0, 30)}” can be read in two ways; say above which is meant`;
    const amount = signedAmount === 0 ? 0 : terms.spendingSign === "minus" ? -signedAmount : signedAmount;
    if (amount < 0) return "money that came in, not a purchase";
    const currency = findCurrency(row, cell);
    if (currency !== "USD") countByCurrency.set(currency, (countByCurrency.get(currency) ?? 0) + 1);
    const rate = currency === "USD" ? 1 : terms.rates[currency];
    if (rate === undefined) return `in ${currency}, not in dollars; say above what one is worth`;
    const amountUsd = currency === "USD" ? amount : roundToCents(amount * rate);
    if (amountUsd > PURCHASE_USD_RANGE.max) return `more than $${PURCHASE_USD_RANGE.max.toLocaleString("en-US")}`;
    if (purchases.length >= MAX_PURCHASES) return `more than ${MAX_PURCHASES.toLocaleString("en-US")} purchases`;
    const date = (row.cells[table.columns.date] ?? "").trim().slice(0, 40);
    const description = (row.cells[table.columns.description] ?? "").trim().slice(0, 120);
    const purchaseKey = JSON.stringify([date, description, amount, currency]);
    purchases.push({
      id: row.line,
      date,
      description,
      amountUsd,
      foreign: currency === "USD" ? null : { amount, currency },
      isDuplicate: purchaseKeys.has(purchaseKey),
    });
    purchaseKeys.add(purchaseKey);
    return null;
  };
  for (const [i, row] of table.rows.entries()) {
    const reason = addPurchase(row, amountCells[i] ?? null);
    if (reason) unreadRows.push({ line: row.line, reason });
  }
  const currencies = [...countByCurrency].map(([currency, count]) => ({ currency, count }));
  return { purchases, unreadRows, currencies: currencies.sort((a, b) => b.count - a.count) };
}

/** Finds a header's currency: "Amount (EUR)", "Betrag in €". Returns null when the header names none. */
function readHeaderCurrency(header: string): string | null {
  const [, name = ""] = /[\s(]([A-Z]{3}|[€£¥₹])\)?$/.exec(header.trim()) ?? [];
  return parseCurrency(name);
}
