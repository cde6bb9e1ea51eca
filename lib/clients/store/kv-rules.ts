import type { Json } from "../../ports/json";

/* Checks of the arguments of a KvStore, shared by all stores. Each failure is a bug of the caller. */

const KEY_PATTERN = /^[\x20-\x7e]{1,512}$/;

/** @throws {RangeError} unless `key` is 1 to 512 printable ASCII characters */
export function checkKey(key: string): void {
  if (!KEY_PATTERN.test(key)) throw new RangeError("a store key is 1 to 512 printable ASCII characters");
}

/**
 * Returns the key of a set's member in a store that keeps members as ordinary entries.
 * @throws {RangeError} unless it is valid, and the name of the set contains no vertical bar
 */
export function toMemberKey(setName: string, memberName = ""): string {
  const key = `${setName}|${memberName}`;
  checkKey(key);
  if (setName.includes("|")) throw new RangeError("the name of a set contains no vertical bar");
  return key;
}

/** @throws {RangeError} unless `ttlMs` is absent or a positive whole number of milliseconds */
export function checkTtl(ttlMs: number | undefined): void {
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs > 0)) {
    throw new RangeError("a time to live is a positive whole number of milliseconds");
  }
}

/**
 * JSON.stringify escapes lone surrogates, so the text is valid UTF-8.
 * @throws {RangeError} for values that JSON would silently change: undefined, NaN, infinities, functions
 */
export function encodeJson(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    const isJson =
      typeof part === "number" ? Number.isFinite(part) : part === null || /^(string|boolean|object)$/.test(typeof part);
    if (!isJson) throw new RangeError("only JSON values can be stored");
    return part;
  });
}
