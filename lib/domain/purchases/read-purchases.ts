import { PURCHASE_USD } from "../limits";
import { toCents } from "../money";
import { type AmountCell, inferDecimal, isUnclear, parseAmountCell, parseCurrency, toAmount } from "./amount-cell";
import { type Decimal, parseBothWays } from "./readings";
import { parseTable, type Row, type Table } from "./table";

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
  duplicate: boolean;
}

interface UnreadRow {
  /** Line number in the text, from 1. */
  line: number;
  reason: string;
}

/** The sign of spending in the list: 4.35 or -4.35. */
export type Spending = "plain" | "minus";

/** The user's answers to questions that the list leaves open. */
export interface ListChoices {
  /** Which sign is spending when both occur. Defaults to the more frequent sign. */
  spending?: Spending | undefined;
  /** Decimal separator for ambiguous amounts. Ambiguous amounts are left out until it is set. */
  decimal?: Decimal | undefined;
  /** Dollars per unit of each foreign currency. Rows in other currencies are left out. */
  rates?: Readonly<Record<string, number>> | undefined;
}

export interface Purchases {
  purchases: Purchase[];
  unread: UnreadRow[];
  spending: Spending;
  /** True when both signs occur. Only the user knows which one is spending. */
  mixed: boolean;
  /** An ambiguous amount and both its readings. Null when there is none. */
  unclear: ({ sample: string } & Record<Decimal, string>) | null;
  /** Foreign currencies and their number of purchases, the most frequent first. */
  currencies: { currency: string; count: number }[];
}

/** Maximum number of purchases. Users do not review longer lists. */
const MAX_PURCHASES = 10_000;

/**
 * Reads purchases from pasted text or CSV: one amount per line, or columns separated by comma, semicolon, tab or bar. A
 * header is optional, and decimals use a point or a comma. Rows that are unreadable, ambiguous or not purchases are
 * listed in `unread` with the reason. The reader never guesses.
 */
export function readPurchases(text: string, choices: ListChoices = {}): Purchases {
  const table = parseTable(text, choices.decimal ?? null);
  const cells = table.rows.map(({ cells, doubt }) =>
    doubt ? null : parseAmountCell(cells[table.columns.amount] ?? ""),
  );
  const amounts = cells.filter((cell) => cell !== null);
  const separator = inferDecimal(amounts);
  const ambiguous = separator === null ? amounts.find(isUnclear) : undefined;
  const decimal = separator ?? choices.decimal ?? null;
  const minus = amounts.filter(({ negative }) => negative).length;
  const plain = amounts.filter(({ negative, digits }) => !negative && /[1-9]/.test(digits)).length;
  const spending = choices.spending ?? (minus > plain ? "minus" : "plain");
  const reader = createReader(table, { spending, decimal, rates: choices.rates ?? {} });
  for (const [i, row] of table.rows.entries()) reader.add(row, cells[i] ?? null);
  return {
    ...reader.getResult(),
    spending,
    mixed: plain > 0 && minus > 0,
    unclear: table.splitSample !== null ? toSplitSample(table.splitSample) : ambiguous ? toSample(ambiguous) : null,
  };
}

function toSample({ digits }: AmountCell): Purchases["unclear"] {
  const { point, comma } = parseBothWays(digits);
  return { sample: digits, point: String(point), comma: String(comma) };
}

const toSplitSample = (sample: string) => ({
  sample,
  comma: sample.replace(",", "."),
  point: sample.replace(",", " and ").concat(", two columns"),
});

interface Terms {
  spending: Spending;
  decimal: Decimal | null;
  rates: Readonly<Record<string, number>>;
}

function createReader(table: Table, terms: Terms) {
  const purchases: Purchase[] = [];
  const unread: UnreadRow[] = [];
  const seen = new Set<string>();
  const foreign = new Map<string, number>();
  const headerCurrency = readHeaderCurrency(table.amountHeader);

  const findCurrency = (row: Row, cell: AmountCell): string => {
    const named = row.cells[table.columns.currency]?.trim() ?? "";
    return named ? (parseCurrency(named) ?? named.slice(0, 12)) : (cell.currency ?? headerCurrency ?? "USD");
  };
  /** @returns why the row was left out, or null */
  const add = (row: Row, cell: AmountCell | null): string | null => {
    const text = row.cells[table.columns.amount]?.trim() ?? "";
    if (row.doubt) return row.doubt;
    if (text === "") return "has no amount";
    if (cell === null) return `the amount “${text.slice(0, 30)}” cannot be read`;
    const signed = toAmount(cell, terms.decimal);
    if (signed === null) return `“${text.slice(0, 30)}” can be read in two ways; say above which is meant`;
    const amount = signed === 0 ? 0 : terms.spending === "minus" ? -signed : signed;
    if (amount < 0) return "money that came in, not a purchase";
    const currency = findCurrency(row, cell);
    if (currency !== "USD") foreign.set(currency, (foreign.get(currency) ?? 0) + 1);
    const rate = currency === "USD" ? 1 : terms.rates[currency];
    if (rate === undefined) return `in ${currency}, not in dollars; say above what one is worth`;
    const amountUsd = currency === "USD" ? amount : toCents(amount * rate);
    if (amountUsd > PURCHASE_USD.max) return `more than $${PURCHASE_USD.max.toLocaleString("en-US")}`;
    if (purchases.length >= MAX_PURCHASES) return `more than ${MAX_PURCHASES.toLocaleString("en-US")} purchases`;
    const date = (row.cells[table.columns.date] ?? "").trim().slice(0, 40);
    const description = (row.cells[table.columns.description] ?? "").trim().slice(0, 120);
    const key = JSON.stringify([date, description, amount, currency]);
    purchases.push({
      id: row.line,
      date,
      description,
      amountUsd,
      foreign: currency === "USD" ? null : { amount, currency },
      duplicate: seen.has(key),
    });
    seen.add(key);
    return null;
  };
  return {
    add(row: Row, cell: AmountCell | null) {
      const reason = add(row, cell);
      if (reason) unread.push({ line: row.line, reason });
    },
    getResult: () => ({
      purchases,
      unread,
      currencies: [...foreign].map(([currency, count]) => ({ currency, count })).sort((a, b) => b.count - a.count),
    }),
  };
}

/** Finds a header's currency: "Amount (EUR)", "Betrag in €". Null when the header names none, which means dollars. */
function readHeaderCurrency(header: string): string | null {
  const [, name = ""] = /[\s(]([A-Z]{3}|[€£¥₹])\)?$/.exec(header.trim()) ?? [];
  return parseCurrency(name);
}
