import { PURCHASE_USD } from "../limits";
import { toCents } from "../money";
import { type AmountCell, amountCell, amountOf, currencyOf, decimalOf, isUnclear } from "./amount-cell";
import { type Decimal, readings } from "./readings";
import { type Row, type Table, tableOf } from "./table";

/** One purchase of a bank's or a card's export. */
export interface Purchase {
  /** Its line in the text, from 1; also tells equal purchases apart, whatever else was chosen. */
  id: number;
  date: string;
  description: string;
  amountUsd: number;
  /** What was paid, where that was not dollars. */
  foreign: { amount: number; currency: string } | null;
  /** The same date, description and amount stand above it. */
  duplicate: boolean;
}

interface UnreadRow {
  /** In the text, from 1. */
  line: number;
  reason: string;
}

/** How spending is written: as 4.35 or as -4.35. */
export type Spending = "plain" | "minus";

/** What only the person knows, as far as it has been said. */
export interface ListChoices {
  /** Where both signs occur; the more frequent one unless told. */
  spending?: Spending | undefined;
  /** Where amounts can be read in two ways; until it is told they are left out. */
  decimal?: Decimal | undefined;
  /** Dollars for one of each other currency; rows in any other are left out. */
  rates?: Readonly<Record<string, number>> | undefined;
}

export interface Purchases {
  purchases: Purchase[];
  unread: UnreadRow[];
  spending: Spending;
  /** Both signs occur, so only the person knows which of them is spending. */
  mixed: boolean;
  /** An amount that can be read in two ways, and both of them; null when there is none. */
  unclear: ({ sample: string } & Record<Decimal, string>) | null;
  /** Purchases in other currencies, the most frequent first. */
  currencies: { currency: string; count: number }[];
}

/** More is no list of purchases that anybody looks through. */
const MAX_PURCHASES = 10_000;

/**
 * Purchases from a pasted list or a CSV: an amount per line, or columns parted by comma, semicolon, tab or bar; with or
 * without a header; decimal point or comma. What cannot be read, is no purchase, or may mean two things is listed with the
 * reason, never guessed.
 */
export function readPurchases(text: string, choices: ListChoices = {}): Purchases {
  const table = tableOf(text, choices.decimal ?? null);
  const cells = table.rows.map(({ cells, torn }) => (torn ? null : amountCell(cells[table.columns.amount] ?? "")));
  const amounts = cells.filter((cell) => cell !== null);
  const said = decimalOf(amounts);
  const doubtful = said === null ? amounts.find(isUnclear) : undefined;
  const decimal = said ?? choices.decimal ?? null;
  const minus = amounts.filter(({ negative }) => negative).length;
  const plain = amounts.filter(({ negative, digits }) => !negative && /[1-9]/.test(digits)).length;
  const spending = choices.spending ?? (minus > plain ? "minus" : "plain");
  const reader = readerOf(table, { spending, decimal, rates: choices.rates ?? {} });
  for (const [i, row] of table.rows.entries()) reader.add(row, cells[i] ?? null);
  return {
    ...reader.result(),
    spending,
    mixed: plain > 0 && minus > 0,
    unclear: table.torn !== null ? tornSample(table.torn) : doubtful ? sampleOf(doubtful) : null,
  };
}

function sampleOf({ digits }: AmountCell): Purchases["unclear"] {
  const { point, comma } = readings(digits);
  return { sample: digits, point: String(point), comma: String(comma) };
}

const tornSample = (sample: string) => ({
  sample,
  comma: sample.replace(",", "."),
  point: sample.replace(",", " and ").concat(", two columns"),
});

interface Terms {
  spending: Spending;
  decimal: Decimal | null;
  rates: Readonly<Record<string, number>>;
}

function readerOf(table: Table, terms: Terms) {
  const purchases: Purchase[] = [];
  const unread: UnreadRow[] = [];
  const seen = new Set<string>();
  const foreign = new Map<string, number>();
  const ofHead = currencyInHead(table.amountHead);

  const currencyFor = (row: Row, cell: AmountCell): string => {
    const named = row.cells[table.columns.currency]?.trim() ?? "";
    return named ? (currencyOf(named) ?? named.slice(0, 12)) : (cell.currency ?? ofHead ?? "USD");
  };
  /** @returns why the row was left out, or null */
  const add = (row: Row, cell: AmountCell | null): string | null => {
    const text = row.cells[table.columns.amount]?.trim() ?? "";
    if (row.torn) return row.torn;
    if (text === "") return "has no amount";
    if (cell === null) return `the amount “${text.slice(0, 30)}” cannot be read`;
    const signed = amountOf(cell, terms.decimal);
    if (signed === null) return `“${text.slice(0, 30)}” can be read in two ways; say above which is meant`;
    const amount = signed === 0 ? 0 : terms.spending === "minus" ? -signed : signed;
    if (amount < 0) return "money that came in, not a purchase";
    const currency = currencyFor(row, cell);
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
    result: () => ({
      purchases,
      unread,
      currencies: [...foreign].map(([currency, count]) => ({ currency, count })).sort((a, b) => b.count - a.count),
    }),
  };
}

/** "Amount (EUR)", "Betrag in €"; dollars need no word. */
function currencyInHead(head: string): string | null {
  const [, name = ""] = /[\s(]([A-Z]{3}|[€£¥₹])\)?$/.exec(head.trim()) ?? [];
  return currencyOf(name);
}
