/** One JSON document; bigint as digits. */
export const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part), 2);

/** Base units with the point in its place. */
export function decimal(units: bigint | number | string, decimals: number): string {
  const digits = BigInt(units)
    .toString()
    .padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`.replace(/\.?0+$/, "");
}

export const sol = (lamports: bigint | number) => `${decimal(lamports, 9)} SOL`;

/** Cents, and fractions of them where there are some. */
export const usd = (amount: number) =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
