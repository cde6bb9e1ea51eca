import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { orderFeeCollectors } from "../../../lib/domain/fee-collector";

test("a user's order starts at SHA-256 of the address (first four bytes, big-endian) modulo the number of collectors", () => {
  const property = fc.property(fc.string(), fc.integer({ min: 1, max: 12 }), (user, count) => {
    const collectors = Array.from({ length: count }, (_, i) => `collector ${i}`);
    const firstIndex = createHash("sha256").update(user).digest().readUInt32BE(0) % count;
    expect(orderFeeCollectors(user, collectors)).toEqual(
      [...collectors, ...collectors].slice(firstIndex, firstIndex + count),
    );
  });
  fc.assert(property);
});

test("an empty list of collectors throws RangeError", () => {
  expect(() => orderFeeCollectors("user", [])).toThrow(RangeError);
});
