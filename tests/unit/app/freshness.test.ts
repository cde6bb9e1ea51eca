import { expect, test } from "vitest";
import { createFreshness } from "@/app/_client/queries/freshness";

const READ = { data: {} };

function createTestFreshness(short = false) {
  return createFreshness({ isNearlyUsedUp: () => short }, "/api/price");
}

test("treats a path read directly or with another call as fresh for some seconds", () => {
  const freshness = createTestFreshness();
  freshness.recordRead("/wallet", 1_000);
  expect([9_000, 12_000].map((now) => freshness.isFresh("/wallet", now))).toEqual([true, false]);
  expect(freshness.isFresh("/another", 9_000)).toBe(false);
  expect(freshness.shouldReuse("/wallet", READ, 9_000), "who asks for it gets it").toBe(false);
});

test("shows no response that was requested before a shown one, or before a landed transaction", () => {
  const freshness = createTestFreshness();
  expect([1_500, 1_000, 1_500].map((at) => freshness.recordRead("/wallet", at))).toEqual([true, false, true]);
  freshness.recordLanding(2_000);
  expect([1_900, 2_000, 1_950].map((at) => freshness.recordRead("/wallet", at))).toEqual([false, true, false]);
  expect(freshness.isOutdated("/wallet"), "a late response does not make the newer one outdated").toBe(false);
  expect(freshness.recordRead("/api/price", 1_000)).toBe(true);
});

test("treats a failed read or failed refresh as not fresh", () => {
  const freshness = createTestFreshness(true);
  freshness.recordRead("/wallet", 1_000);
  for (const read of [undefined, {}, { data: {}, error: new Error("No.") }])
    expect(freshness.shouldReuse("/wallet", read, 1_001)).toBe(false);
});

test("reads a path again after a transaction lands, even near the rate limit, and leaves prices alone", () => {
  const freshness = createTestFreshness(true);
  for (const path of ["/wallet", "/api/price"]) freshness.recordRead(path, 1_000);
  freshness.recordLanding(1_500);
  expect([freshness.isOutdated("/wallet"), freshness.isOutdated("/api/price")]).toEqual([true, false]);
  expect(["/wallet", "/api/price"].map((path) => freshness.isFresh(path, 8_000))).toEqual([false, true]);
  expect(["/wallet", "/api/price"].map((path) => freshness.shouldReuse(path, READ, 8_000))).toEqual([false, true]);
  freshness.recordRead("/wallet", 1_600);
  expect(freshness.shouldReuse("/wallet", READ, 2_000), "a node may show it a moment later").toBe(false);
  expect(freshness.shouldReuse("/wallet", READ, 8_000)).toBe(true);
});

test("reuses cached data while few calls are left", () => {
  const freshness = createTestFreshness(true);
  freshness.recordRead("/wallet", 1_000);
  expect(freshness.shouldReuse("/wallet", READ, 50_000)).toBe(true);
});
