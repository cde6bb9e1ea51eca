/** Formats a value as a JSON document. Bigints become strings of digits. */
export const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part), 2);

/** Formats base units as a decimal number, without trailing zeros. */
export function decimal(units: bigint | number | string, decimals: number): string {
  const digits = BigInt(units)
    .toString()
    .padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`.replace(/\.?0+$/, "");
}

export const sol = (lamports: bigint | number) => `${decimal(lamports, 9)} SOL`;

/** Formats US dollars with two to six decimals. */
export const usd = (amount: number) =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
