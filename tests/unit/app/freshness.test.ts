import { expect, test } from "vitest";
import { createFreshness } from "@/app/_client/queries/freshness";

const READ = { data: {} };

function createTestFreshness(short = false) {
  return createFreshness({ isShort: () => short }, "/api/price");
}

test("treats a path read directly or with another call as fresh for some seconds", () => {
  const freshness = createTestFreshness();
  freshness.asked("/wallet", 1_000);
  expect([9_000, 12_000].map((now) => freshness.isFresh("/wallet", now))).toEqual([true, false]);
  expect(freshness.isFresh("/another", 9_000)).toBe(false);
  expect(freshness.shouldReuse("/wallet", READ, 9_000), "who asks for it gets it").toBe(false);
});

test("treats a failed read or failed refresh as not fresh", () => {
  const freshness = createTestFreshness(true);
  freshness.asked("/wallet", 1_000);
  for (const read of [undefined, {}, { data: {}, error: new Error("No.") }])
    expect(freshness.shouldReuse("/wallet", read, 1_001)).toBe(false);
});

test("reads a path again after a transaction lands, even near the rate limit; prices are unaffected", () => {
  const freshness = createTestFreshness(true);
  for (const path of ["/wallet", "/api/price"]) freshness.asked(path, 1_000);
  freshness.landed(1_500);
  expect([freshness.isOutdated("/wallet"), freshness.isOutdated("/api/price")]).toEqual([true, false]);
  expect(["/wallet", "/api/price"].map((path) => freshness.isFresh(path, 8_000))).toEqual([false, true]);
  expect(["/wallet", "/api/price"].map((path) => freshness.shouldReuse(path, READ, 8_000))).toEqual([false, true]);
  freshness.asked("/wallet", 1_600);
  expect(freshness.shouldReuse("/wallet", READ, 2_000), "a node may show it a moment later").toBe(false);
  expect(freshness.shouldReuse("/wallet", READ, 8_000)).toBe(true);
});

test("reuses cached data while few calls are left", () => {
  const freshness = createTestFreshness(true);
  freshness.asked("/wallet", 1_000);
  expect(freshness.shouldReuse("/wallet", READ, 50_000)).toBe(true);
});
