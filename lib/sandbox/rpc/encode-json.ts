/** The rent epoch of a rent-exempt account, 2^64 - 1, as JavaScript writes it and as a cluster does. */
const ROUNDED_RENT_EPOCH = `"rentEpoch":${JSON.stringify(2 ** 64)}`;
const EXACT_RENT_EPOCH = '"rentEpoch":18446744073709551615';

/**
 * Encodes an answer as JSON. Writes the digits of the rent epoch, which no JavaScript number holds. The text cannot
 * occur inside a string, where JSON escapes the quotation marks.
 */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(ROUNDED_RENT_EPOCH, EXACT_RENT_EPOCH);
}
