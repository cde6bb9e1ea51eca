import type { Decimal } from "./decimal-separator";

/** A column whose values say which rows are purchases, such as "Status" or "Af Bij". */
export interface RowFilter {
  /** -1 for none. */
  column: number;
  /** The values that the person decided about, and whether their rows count. A guess decides about the others. */
  kept: Record<string, boolean>;
}

/** How to read a list. Columns are indexes from 0; -1 means that the list has no such column. */
export interface ListChoices {
  /** Index of the header's row. Rows above it are skipped. -1 when the list has no header. */
  headerRow: number;
  date: number;
  description: number;
  /** Column of the amount, or of money out if the list has a separate column for money in. */
  amount: number;
  moneyIn: number;
  /** How the list writes what was paid: 4.35 or -4.35. The other sign is money that came in. */
  spendingSign: "plain" | "minus";
  /** Null until it is known: then ambiguous amounts are left out. */
  decimal: Decimal | null;
  /** The currency of all rows, or the column that names it. Null until it is known: then every row is left out. */
  currency: "usd" | "other" | number | null;
  filters: readonly RowFilter[];
}

const UNPAID_WORDS = [
  "pending|processing|declined|denied|blocked|reject|fail|revers|revert|refunded|cancel|void|expired|on hold",
  "authori[sz]ation|ausstehend|vorgemerkt|abgelehnt|storn|fehlgeschlagen|en attente|refus|annul|pendiente|rechaz",
  "in attesa|rifiutat",
];
const UNPAID_PATTERN = new RegExp(`(?<!\\p{L})(${UNPAID_WORDS.join("|")})`, "iu");
const MONEY_IN_PATTERN = /^(in|credit|cr|c|crdt|bij|haben|h|income|incoming|neutral)$/i;
const MONEY_OUT_PATTERN = /^(out|debit|dr|d|dbit|af|soll|s|outgoing)$/i;

/** Returns whether a filter keeps the rows with this value. */
export const isKept = ({ kept }: RowFilter, value: string): boolean =>
  Object.hasOwn(kept, value) ? kept[value]! : !UNPAID_PATTERN.test(value) && !MONEY_IN_PATTERN.test(value);

/** Returns whether the values of a column say which rows are purchases. */
export const areFilterValues = (values: readonly string[]): boolean =>
  values.some((value) => UNPAID_PATTERN.test(value)) ||
  values.every((value) => MONEY_IN_PATTERN.test(value) || MONEY_OUT_PATTERN.test(value));
