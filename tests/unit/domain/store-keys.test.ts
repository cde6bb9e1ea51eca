import { describe, expect, test } from "vitest";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { type StoredRecord, simulateWallet } from "../../bench/wallet-use";

const FAMILIES = Object.values(STORE_KEYS);

/** Returns the family of a stored key: the one with the longest matching name. */
const findFamily = (key: string) =>
  FAMILIES.filter(({ name, parts }) => (parts.length > 0 ? key.startsWith(`${name}:`) : key === name)).sort(
    (left, right) => right.name.length - left.name.length,
  )[0];

const countBytes = ({ key, value }: StoredRecord) => key.length + JSON.stringify(value).length;

test("no two families have the same name", () => {
  const names = FAMILIES.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

describe("every record that a wallet leaves in eight days", async () => {
  const records = await simulateWallet(8);

  test("the claim of its payments, which never expires, takes at most 160 bytes", () => {
    const claims = records.filter(({ key, ttlMs }) => ttlMs === null && findFamily(key) === STORE_KEYS.claim);
    expect(claims).toHaveLength(1);
    expect(countBytes(claims[0]!)).toBeLessThanOrEqual(160);
  });

  test.each(records)("$key is of a family, expires with it and is at most twice its usual size", (record) => {
    const family = findFamily(record.key);
    expect(family).toBeDefined();
    expect(record.key.slice(family!.name.length).split(":").length).toBeGreaterThan(family!.parts.length);
    if (family!.ttlMs !== null && record.ttlMs !== null) expect(record.ttlMs).toBeLessThanOrEqual(family!.ttlMs);
    if (family!.expiryText === null) expect(record.ttlMs === null).toBe(family!.ttlMs === null);
    expect(countBytes(record)).toBeLessThanOrEqual(2 * family!.bytes);
  });
});
