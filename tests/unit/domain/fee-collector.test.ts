import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderFeeCollectors } from "../../../lib/domain/fee-collector";

const collectors = Array.from({ length: 8 }, (_, i) => `collector ${i}`);

describe("orderFeeCollectors", () => {
  test("picks one of the collectors, always the same one for a user", () => {
    const property = fc.property(fc.string(), fc.integer({ min: 1, max: 12 }), (user, count) => {
      const list = Array.from({ length: count }, (_, i) => `collector ${i}`);
      const chosen = orderFeeCollectors(user, list)[0];
      expect(list).toContain(chosen);
      expect(orderFeeCollectors(user, [...list])[0]).toBe(chosen);
    });
    fc.assert(property);
  });

  test("spreads 8,000 users over eight collectors with 800 to 1,200 users each", () => {
    const counts = new Map(collectors.map((one) => [one, 0]));
    for (let user = 0; user < 8_000; user++) {
      const chosen = orderFeeCollectors(`user ${user}`, collectors)[0];
      counts.set(chosen, counts.get(chosen)! + 1);
    }
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(800);
      expect(count).toBeLessThan(1_200);
    }
  });

  test("takes the first four bytes of SHA-256 of the address, big-endian, modulo the number of collectors", () => {
    const property = fc.property(fc.string(), (user) => {
      const index = createHash("sha256").update(user).digest().readUInt32BE(0) % collectors.length;
      expect(orderFeeCollectors(user, collectors)[0]).toBe(collectors[index]);
    });
    fc.assert(property);
  });

  test("lists all other collectors after the first, in order", () => {
    const property = fc.property(fc.string(), (user) => {
      const order = orderFeeCollectors(user, collectors);
      const first = collectors.indexOf(order[0]);
      expect(order).toEqual([...collectors, ...collectors].slice(first, first + collectors.length));
    });
    fc.assert(property);
  });

  test("throws RangeError for an empty list", () => {
    expect(() => orderFeeCollectors("user", [])).toThrow(RangeError);
  });
});
