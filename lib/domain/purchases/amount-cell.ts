import { type Decimal, readings } from "./readings";

export interface AmountCell {
  /** Digits and separators, without sign, currency and spaces. */
  digits: string;
  negative: boolean;
  /** ISO 4217; null where the cell names none. */
  currency: string | null;
}

const SIGNS: Record<string, string> = {
  $: "USD",
  US$: "USD",
  A$: "AUD",
  C$: "CAD",
  CA$: "CAD",
  AU$: "AUD",
  "€": "EUR",
  EURO: "EUR",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  ZŁ: "PLN",
};

/** "€", "eur" and "EUR" as EUR; null for what is no currency. */
export function currencyOf(text: string): string | null {
  const bare = text.trim().toUpperCase();
  if (Object.hasOwn(SIGNS, bare)) return SIGNS[bare]!;
  return /^[A-Z]{3}$/.test(bare) ? bare : null;
}

const NAME = String.raw`[A-Z]{0,2}\$|[A-Z]{3}|EURO|[€£¥₹]|ZŁ`;
const AROUND = new RegExp(`^(${NAME})?([-+(]?)(${NAME})?([-+]?)([\\d.,]+)(-?)(${NAME})?(\\)?)$`, "i");

/** What a cell says before anybody decides how its separators are meant; null when it is no amount. */
export function amountCell(cell: string): AmountCell | null {
  const found = AROUND.exec(withoutSpaces(cell.replace(/[−–]/g, "-").trim()));
  if (!found) return null;
  const [, first, before = "", second, inner = "", digits = "", after = "", last, closing = ""] = found;
  const names = [first, second, last].filter((name) => name !== undefined);
  const signs = [before, inner, after].filter((sign) => sign !== "" && sign !== "(");
  if (names.length > 1 || signs.length > 1 || (before === "(") !== (closing === ")")) return null;
  const { point, comma } = readings(digits);
  if (point === null && comma === null) return null;
  const negative = before === "(" || signs.includes("-");
  return { digits, negative, currency: names.length > 0 ? currencyOf(names[0]!) : null };
}

/** Spaces and apostrophes may part thousands and stand beside the currency; between other digits they part two numbers. */
function withoutSpaces(text: string): string {
  const grouped = text.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "");
  return /\d[\s'’]+\d/.test(grouped) ? grouped : grouped.replace(/\s/g, "");
}

/** Whether both meanings are possible and differ: 1,234. */
export function isUnclear({ digits }: AmountCell): boolean {
  const { point, comma } = readings(digits);
  return point !== null && comma !== null && point !== comma;
}

/** What the amounts of a list say about its decimals; null when they say nothing, or both. */
export function decimalOf(cells: readonly AmountCell[]): Decimal | null {
  const only = (mark: Decimal, other: Decimal) =>
    cells.some(({ digits }) => readings(digits)[mark] !== null && readings(digits)[other] === null);
  const [point, comma] = [only("point", "comma"), only("comma", "point")];
  return point === comma ? null : point ? "point" : "comma";
}

/** Signed; null while the separators may mean two things and nobody has said which. */
export function amountOf(cell: AmountCell, decimal: Decimal | null): number | null {
  if (decimal === null && isUnclear(cell)) return null;
  const { point, comma } = readings(cell.digits);
  const value = decimal === "comma" ? (comma ?? point!) : (point ?? comma!);
  return cell.negative && value !== 0 ? -value : value;
}
