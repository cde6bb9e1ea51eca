import { expect, test } from "vitest";
import { parseStaticKeys } from "../../../lib/domain/static-keys";

const [KEY_A, KEY_B, KEY_C] = ["a", "b", "c"].map((letter) => letter.repeat(32));

test("parseStaticKeys parses keys without a name and several keys of one name", () => {
  expect(parseStaticKeys(` ${KEY_A}, shop:${KEY_B} ,,shop:${KEY_C},`)).toEqual([
    { name: null, key: KEY_A },
    { name: "shop", key: KEY_B },
    { name: "shop", key: KEY_C },
  ]);
});

test("parseStaticKeys parses optional calls a minute and optional networks", () => {
  const parsed = parseStaticKeys(
    `shop:${KEY_A}:600@203.0.113.0/24+2001:db8::/48,shop:${KEY_B}:1,bot:${KEY_C}@192.0.2.7,${KEY_A}@::1`,
  );
  if (typeof parsed === "string") throw new Error(parsed);
  const formatNetworks = (key: (typeof parsed)[number]) => key.ranges?.map(([address, bits]) => `${address}/${bits}`);
  expect(parsed.map((key) => [key.name, key.key, key.callsPerMinute, formatNetworks(key)])).toEqual([
    ["shop", KEY_A, 600, ["203.0.113.0/24", "2001:db8::/48"]],
    ["shop", KEY_B, 1, undefined],
    ["bot", KEY_C, undefined, ["192.0.2.7/32"]],
    [null, KEY_A, undefined, ["::1/128"]],
  ]);
});

test("parseStaticKeys parses a file with one key per line and comments", () => {
  expect(parseStaticKeys(`# the old key until Friday\nshop:${KEY_A}\r\n\n  # new, soon\nshop:${KEY_B}\n`)).toEqual([
    { name: "shop", key: KEY_A },
    { name: "shop", key: KEY_B },
  ]);
});

test.each([
  [`${KEY_A},my shop:${KEY_B}`, "key 2: its name needs 1 to 32 letters, digits, hyphens or underscores"],
  [`:${KEY_A}`, "key 1: its name needs 1 to 32 letters, digits, hyphens or underscores"],
  [`shop:${KEY_A}:120:1`, "key 1 contains a colon or a space"],
  ...["", "0", "1.5", "-1", "1e3", "10001", "many", " 60"].map((calls) => [
    `shop:${KEY_A}:${calls}`,
    "key 1: its calls a minute are not a whole number from 1 to 10000",
  ]),
  ...[
    "",
    "shop.example",
    "203.0.113.0/33",
    "203.0.113/24",
    "1.2.3.4/",
    "1.2.3.4/8/8",
    "::/129",
    "::1+",
    "::ffff:1.2.3.4",
  ].map((networks) => [
    `shop:${KEY_A}:60@${networks}`,
    "key 1: after @ come addresses or networks such as 203.0.113.0/24, joined by +",
  ]),
  [`shop:${KEY_A} ${KEY_B}`, "key 1 contains a colon or a space"],
])("parseStaticKeys refuses %j without repeating the key", (text, fault) => {
  expect(parseStaticKeys(text)).toBe(fault);
});
