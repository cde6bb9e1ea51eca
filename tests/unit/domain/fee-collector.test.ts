import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { feeCollectorFor } from "../../../lib/domain/fee-collector";

const collectors = Array.from({ length: 8 }, (_, i) => `collector ${i}`);

describe("feeCollectorFor", () => {
  test("always one of the collectors, and the same one for the same user", () => {
    const property = fc.property(fc.string(), fc.integer({ min: 1, max: 12 }), (user, count) => {
      const list = Array.from({ length: count }, (_, i) => `collector ${i}`);
      const chosen = feeCollectorFor(user, list);
      expect(list).toContain(chosen);
      expect(feeCollectorFor(user, [...list])).toBe(chosen);
    });
    fc.assert(property);
  });

  test("users spread over all eight: of 8,000 none gets less than 800 or more than 1,200", () => {
    const counts = new Map(collectors.map((one) => [one, 0]));
    for (let user = 0; user < 8_000; user++) {
      const chosen = feeCollectorFor(`user ${user}`, collectors);
      counts.set(chosen, counts.get(chosen)! + 1);
    }
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(800);
      expect(count).toBeLessThan(1_200);
    }
  });

  test("it is the first four bytes of SHA-256 of the address, big-endian, modulo the number of collectors", () => {
    const property = fc.property(fc.string(), (user) => {
      const index = createHash("sha256").update(user).digest().readUInt32BE(0) % collectors.length;
      expect(feeCollectorFor(user, collectors)).toBe(collectors[index]);
    });
    fc.assert(property);
  });

  test("no collectors is a caller's bug", () => {
    expect(() => feeCollectorFor("user", [])).toThrow(RangeError);
  });
});
