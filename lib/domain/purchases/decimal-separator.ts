/** The decimal separator of a list: 12.40 or 12,40. */
export type Decimal = "point" | "comma";

/** Parses digits with each decimal separator. A reading is null where it is invalid: thousands are groups of three. */
export function parseBothWays(digits: string): Record<Decimal, number | null> {
  const swapped = digits.replace(/[.,]/g, (separator) => (separator === "." ? "," : "."));
  return { point: parseWithPoint(digits), comma: parseWithPoint(swapped) };
}

/** Parses digits whose decimal separator is a point. Returns null when they are not a number. */
function parseWithPoint(digits: string): number | null {
  const isNumber = /^(\d+|[1-9]\d{0,2}(,\d{3})+)?(\.\d*)?$/.test(digits) && /\d/.test(digits);
  return isNumber ? Number(digits.replaceAll(",", "")) : null;
}
