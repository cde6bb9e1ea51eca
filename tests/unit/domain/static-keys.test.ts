import { expect, test } from "vitest";
import { parseStaticKeys } from "../../../lib/domain/static-keys";

const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(32));

test("parses keys with and without a name, and two keys of one name", () => {
  expect(parseStaticKeys(` ${a}, shop:${b} ,,shop:${c},`)).toEqual([
    { name: null, key: a },
    { name: "shop", key: b },
    { name: "shop", key: c },
  ]);
});

test("parses a file: one key a line, with comments", () => {
  expect(parseStaticKeys(`# the old key until Friday\nshop:${a}\r\n\n  # new, soon\nshop:${b}\n`)).toEqual([
    { name: "shop", key: a },
    { name: "shop", key: b },
  ]);
});

test.each([
  [`${a},my shop:${b}`, "key 2: its name needs 1 to 32 letters, digits, hyphens or underscores"],
  [`:${a}`, "key 1: its name needs 1 to 32 letters, digits, hyphens or underscores"],
  [`shop:${a}:120`, "key 1 contains a colon or a space"],
  [`shop:${a} ${b}`, "key 1 contains a colon or a space"],
])("refuses %j without repeating the key", (text, fault) => {
  expect(parseStaticKeys(text)).toBe(fault);
});
