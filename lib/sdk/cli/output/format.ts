import { decimalText } from "../../../domain/money";

/** Formats a value as a JSON document. Bigints become strings of digits. */
export const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part), 2);

export const sol = (lamports: bigint | number) => `${decimalText(lamports, 9)} SOL`;
