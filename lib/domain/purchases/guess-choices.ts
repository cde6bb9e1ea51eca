import { type AmountCell, hasCents, inferDecimal, isDollar, parseAmountCell } from "./amount-cell";
import { areFilterValues, type ListChoices } from "./list-choices";
import { isBlank, isDateCell, measureWidth, type Table } from "./read-table";

export interface Column {
  index: number;
  /** The column's name in the header. Empty when there is none. */
  title: string;
  /** The cells below the header that are not blank. */
  cells: string[];
}

/** A header further down is not looked for, nor offered. */
export const MAX_HEADER_ROW = 30;
/** Further columns are no part of a bank's list, and reading a million of them would take minutes. */
const MAX_COLUMNS = 100;
/** A column with more values than this is not offered as a filter. */
const MAX_FILTER_VALUES = 12;

const TITLES = {
  amount: /amount|value|sum|total|price|gross|betrag|brutto|umsatz|importe|importo|montant|bedrag|belopp|kwota|valor/i,
  moneyOut:
    /debit|d[ée]bit|withdraw|paid out|money out|outflow|spen[dt]|charge|soll|belastung|ausgabe|cargo|uscite|wydatk/i,
  moneyIn: /credit|cr[ée]dit|deposit|paid in|money in|inflow|received|haben|gutschrift|einnahme|abono|entrate|wpływ/i,
  notAmount:
    /balance|\bbal\b|saldo|solde|kontostand|running|(?<!after )fee|tax|tip|rate|kurs|gebühr|commission|foreign|local|exchange/i,
  description:
    /desc|merchant|payee|name|narrat|memo|detail|text|particular|zweck|empf|begünst|beguenst|libell|concept|omschrij|mededel|counterparty|beskriv/i,
  otherCurrency: /foreign|local|exchange|target|transfer|fee/i,
  status: /status|state|stato|statut|estado/i,
};

/** Returns the columns that have a title or any cell below the header. */
export function listColumns({ rows }: Table, headerRow: number): Column[] {
  const header = rows[headerRow] ?? [];
  const bodyRows = rows.slice(headerRow + 1);
  const width = bodyRows.reduce((max, row) => Math.max(max, measureWidth(row)), header.length);
  return Array.from({ length: Math.min(width, MAX_COLUMNS) }, (_, index) => ({
    index,
    title: header[index]?.trim() ?? "",
    cells: bodyRows.map((row) => row[index]?.trim() ?? "").filter((cell) => cell !== ""),
  })).filter(({ title, cells }) => title !== "" || cells.length > 0);
}

/** Returns the columns that may serve as a filter, and the values of each. */
export const listFilterColumns = (columns: readonly Column[]): (Column & { values: string[] })[] =>
  columns
    .map((column) => ({ ...column, values: [...new Set(column.cells)] }))
    .filter(({ values }) => values.length > 0 && values.length <= MAX_FILTER_VALUES);

/** Guesses how to read a list. @param headerRow index of the header's row, -1 for none; without it, this is guessed too */
export function guessChoices(table: Table, headerRow = guessHeaderRow(table)): ListChoices {
  const columns = listColumns(table, headerRow);
  const date = columns.find((column) => matchesMostly(column, isDateCell));
  const amountColumns = columns.filter(
    (column) => column !== date && matchesMostly(column, (cell) => parseAmountCell(cell) !== null),
  );
  const amount = pickBest(amountColumns, rateAmountColumn);
  const isSplit = amount !== undefined && TITLES.moneyOut.test(amount.title);
  const moneyIn = isSplit ? amountColumns.find((column) => column !== amount && isMoneyIn(column)) : undefined;
  const texts = columns.filter((column) => column !== date && !amountColumns.includes(column));
  const currency = texts.find(
    (column) =>
      matchesMostly(column, (cell) => CURRENCY_CODES.has(cell.toUpperCase())) &&
      !TITLES.otherCurrency.test(column.title),
  );
  const description = pickBest(
    texts.filter((column) => column !== currency),
    rateDescriptionColumn,
  );
  const filters = listFilterColumns(texts.filter((column) => column !== currency && column !== description))
    .filter(({ title, values }) => TITLES.status.test(title) || areFilterValues(values))
    .map(({ index }) => ({ column: index, kept: {} }));
  const choices = {
    headerRow,
    date: date?.index ?? -1,
    description: description?.index ?? -1,
    amount: amount?.index ?? -1,
    moneyIn: moneyIn?.index ?? -1,
    filters: [...filters, NO_FILTER, NO_FILTER].slice(0, 2),
  };
  const terms = guessAmountTerms(table, choices);
  return { ...choices, ...terms, currency: currency?.index ?? terms.currency };
}

const NO_FILTER = { column: -1, kept: {} };

export function guessAmountTerms(
  table: Table,
  { headerRow, amount }: Pick<ListChoices, "headerRow" | "amount">,
): Pick<ListChoices, "spendingSign" | "decimal" | "currency"> {
  const column = listColumns(table, headerRow).find(({ index }) => index === amount);
  const cells = (column?.cells ?? []).map(parseAmountCell).filter((cell) => cell !== null);
  const payments = cells.filter(({ digits }) => /[1-9]/.test(digits));
  const minusCount = payments.filter(({ isNegative }) => isNegative).length;
  return {
    spendingSign: minusCount > 0 && minusCount * 2 >= payments.length ? "minus" : "plain",
    decimal: inferDecimal(cells),
    currency: guessCurrency(column?.title ?? "", cells),
  };
}

/** The title or the amounts must name the currency. Without that, only the person knows it. */
function guessCurrency(title: string, cells: readonly AmountCell[]): "usd" | "other" | null {
  const units = cells.map(({ unit }) => unit).filter((unit) => unit !== "");
  if (units.length > 0) return units.some(isDollar) ? "usd" : "other";
  const names = title.match(/\p{Sc}|\b[A-Z]{3}\b/gu) ?? [];
  const name = names.find((text) => isDollar(text) || /\p{Sc}/u.test(text) || CURRENCY_CODES.has(text));
  return name === undefined ? null : isDollar(name) ? "usd" : "other";
}

const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** The header is the row with the most names, directly above a row of data. A single name may be a title of the list. */
function guessHeaderRow({ rows }: Table): number {
  const isData = (cell: string) => isDateCell(cell) || parseAmountCell(cell) !== null;
  const nameCounts = rows.slice(0, MAX_HEADER_ROW).map((row, i) => {
    const nextRow = rows.slice(i + 1).find((other) => !isBlank(other));
    const nameCount = row.filter((cell) => cell.trim() !== "").length;
    const isTitle = nameCount === 1 && nextRow !== undefined && measureWidth(nextRow) > 1;
    return nextRow?.some(isData) && !row.some(isData) && !isTitle ? nameCount : 0;
  });
  const most = Math.max(0, ...nameCounts);
  return most === 0 ? -1 : nameCounts.indexOf(most);
}

const matchesMostly = ({ cells }: Column, isMatch: (cell: string) => boolean): boolean =>
  cells.filter(isMatch).length * 2 > cells.length;

/** Returns the item with the highest rating, the first one of equals. A negative rating does not count. */
function pickBest<T>(items: readonly T[], rate: (item: T) => number): T | undefined {
  const ratings = items.map(rate);
  const best = Math.max(...ratings);
  return best < 0 ? undefined : items[ratings.indexOf(best)];
}

function isPrice(cell: string): boolean {
  const amount = parseAmountCell(cell);
  return amount !== null && hasCents(amount);
}

const isMoneyIn = ({ title }: Column) => TITLES.moneyIn.test(title) && !TITLES.moneyOut.test(title);

function rateAmountColumn(column: Column): number {
  return (
    (TITLES.moneyOut.test(column.title) ? 6 : 0) +
    (TITLES.amount.test(column.title) ? 4 : 0) +
    (matchesMostly(column, isPrice) ? 2 : 0) -
    (isMoneyIn(column) ? 7 : 0) -
    (TITLES.notAmount.test(column.title) ? 20 : 0)
  );
}

/** Prefers a fitting title, then many different texts, then long ones. */
function rateDescriptionColumn({ title, cells }: Column): number {
  const averageLength = cells.reduce((sum, cell) => sum + cell.length, 0) / Math.max(1, cells.length);
  return (TITLES.description.test(title) ? 1e8 : 0) + new Set(cells).size * 1e3 + Math.min(averageLength, 999);
}
