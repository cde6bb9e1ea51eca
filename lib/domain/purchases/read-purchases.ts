import { PAYMENT_USD_RANGE } from "../limits";
import { toMicroUsd } from "../money";
import { type AmountCell, isAmbiguous, isDollar, parseAmountCell } from "./amount-cell";
import { type Decimal, parseBothWays } from "./decimal-separator";
import { isKept, type ListChoices } from "./list-choices";
import { isBlank, isDateCell, measureWidth, type Table } from "./read-table";

export interface Purchase {
  /** Number of its row in the list. */
  id: number;
  /** As written in the list. Empty when the list has no dates. */
  date: string;
  description: string;
  microUsd: bigint;
  /** True when an earlier row has the same date, description and amount. */
  isDuplicate: boolean;
}

/** How one row is read: as a purchase, or left out for a reason. */
export type RowReading =
  | { id: number; cells: string[]; purchase: Purchase; reason: null }
  | { id: number; cells: string[]; purchase: null; reason: string };

/** Reads every row below the header, except blank ones. */
export function readPurchases({ rows }: Table, choices: ListChoices): RowReading[] {
  const header = rows[choices.headerRow] ?? [];
  const body = rows
    .map((cells, i) => ({ id: i + 1, cells }))
    .slice(choices.headerRow + 1)
    .filter(({ cells }) => !isBlank(cells));
  const maxWidth = header.length || findUsualWidth(body.map(({ cells }) => measureWidth(cells)));
  const purchaseKeys = new Set<string>();
  return body.map(({ id, cells }) => {
    const readCell = (column: number) => cells[column]?.trim() ?? "";
    const microUsd =
      measureWidth(cells) > maxWidth
        ? "more columns than the list has; put quotes around text that holds the separator"
        : (findRowReason(readCell, header, choices) ?? readMicroUsd(readCell, choices));
    if (typeof microUsd === "string") return { id, cells, purchase: null, reason: microUsd };
    const date = readCell(choices.date).slice(0, 40);
    const description = readCell(choices.description).slice(0, 120);
    const key = JSON.stringify([date, description, String(microUsd)]);
    const isDuplicate = purchaseKeys.has(key);
    purchaseKeys.add(key);
    return { id, cells, purchase: { id, date, description, microUsd, isDuplicate }, reason: null };
  });
}

/** Returns the text of a row's cell, "" where the row has none. */
type ReadCell = (column: number) => string;

const BALANCES = [
  "(opening|closing|beginning|starting|ending|previous|available|ledger|statement) balance|balance (brought|carried)",
  "(sub)?total( (amount|debits?|credits?|purchases|payments))?:?$|summe:?$",
  "(alter|neuer|anfangs|end) ?(kontostand|saldo)|saldo( |:?$)|solde (initial|final|précédent)",
];
const BALANCE_PATTERN = new RegExp(`^(${BALANCES.join("|")})`, "i");

/** Returns why a row is no purchase, whatever its amount. Returns null when it may be one. */
function findRowReason(
  readCell: ReadCell,
  header: string[],
  { date, description, filters }: ListChoices,
): string | null {
  const filter = filters.find((other) => other.column >= 0 && !isKept(other, readCell(other.column)));
  if (filter) return `${header[filter.column]?.trim() || "marked"} “${readCell(filter.column).slice(0, 30)}”`;
  if (BALANCE_PATTERN.test(readCell(description))) return "a balance or a total, not a purchase";
  return date >= 0 && !isDateCell(readCell(date)) ? "no date, so it may be a total or a note" : null;
}

/** Returns the amount of a purchase in micro-dollars, or why the row has none. */
function readMicroUsd(readCell: ReadCell, choices: ListChoices): bigint | string {
  const text = readCell(choices.amount);
  const cell = parseAmountCell(text);
  const moneyIn = parseAmountCell(readCell(choices.moneyIn));
  const hasMoneyIn = moneyIn !== null && !isZero(moneyIn);
  if (cell === null || isZero(cell)) {
    if (hasMoneyIn) return MONEY_IN;
    return text === "" ? "no amount" : cell ? "an amount of zero" : `the amount “${text.slice(0, 30)}” cannot be read`;
  }
  if (hasMoneyIn) return "both money out and money in";
  const currencyReason = findCurrencyReason(readCell, cell, choices.currency);
  if (currencyReason !== null) return currencyReason;
  const usd = toNumber(cell, choices.decimal);
  if (usd === null)
    return isAmbiguous(cell)
      ? `“${cell.digits}” can be read in two ways; choose how decimals are written`
      : `“${cell.digits}” does not fit the chosen decimals`;
  const isPurchase = cell.direction ? cell.direction === "out" : cell.isNegative === (choices.spendingSign === "minus");
  if (!isPurchase) return MONEY_IN;
  if (usd > PAYMENT_USD_RANGE.max) return `more than $${PAYMENT_USD_RANGE.max.toLocaleString("en-US")}`;
  return toMicroUsd(usd);
}

const MONEY_IN = "money that came in, not a purchase";

const isZero = ({ digits }: AmountCell) => !/[1-9]/.test(digits);

function findCurrencyReason(
  readCell: ReadCell,
  { unit }: AmountCell,
  currency: ListChoices["currency"],
): string | null {
  if (currency === null) return "the currency is not chosen yet";
  if (currency === "other") return "not in US dollars";
  const name = currency === "usd" ? "USD" : readCell(currency);
  if (name === "") return "no currency";
  const other = [name, unit].find((text) => text !== "" && !isDollar(text));
  return other === undefined ? null : `in ${other.slice(0, 12)}, not in US dollars`;
}

/** Returns the amount without its sign. Returns null when the separators do not fit or allow two values. */
function toNumber(cell: AmountCell, decimal: Decimal | null): number | null {
  const { point, comma } = parseBothWays(cell.digits);
  if (decimal !== null) return decimal === "point" ? point : comma;
  return isAmbiguous(cell) ? null : (point ?? comma);
}

function findUsualWidth(widths: number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  return [...counts].reduce((usual, other) => (other[1] > usual[1] ? other : usual), [0, 0])[0];
}
