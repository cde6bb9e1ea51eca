import { expect, test } from "vitest";
import { createFreshness } from "@/app/_client/queries/freshness";

const CACHED = { data: {} };

function createTestFreshness(isNearlyUsedUp = false) {
  return createFreshness({ isNearlyUsedUp: () => isNearlyUsedUp }, "/api/price");
}

test("the page shows no response that is older than a shown one or than a landed transaction", () => {
  const freshness = createTestFreshness();
  expect([1_500, 1_000, 1_500].map((at) => freshness.recordRead("/wallet", at))).toEqual([true, false, true]);
  freshness.recordLanding(2_000);
  expect([1_900, 2_000, 1_950].map((at) => freshness.recordRead("/wallet", at))).toEqual([false, true, false]);
  expect(freshness.isOutdated("/wallet"), "a late response does not make the newer one outdated").toBe(false);
  expect(freshness.recordRead("/api/price", 1_000)).toBe(true);
});

test("the page reads each path except prices again after a transaction lands, even near the rate limit", () => {
  const freshness = createTestFreshness(true);
  for (const path of ["/wallet", "/api/price"]) freshness.recordRead(path, 1_000);
  freshness.recordLanding(1_500);
  expect([freshness.isOutdated("/wallet"), freshness.isOutdated("/api/price")]).toEqual([true, false]);
  expect(["/wallet", "/api/price"].map((path) => freshness.isFresh(path, 8_000))).toEqual([false, true]);
  expect(["/wallet", "/api/price"].map((path) => freshness.shouldReuse(path, CACHED, 8_000))).toEqual([false, true]);
  freshness.recordRead("/wallet", 1_600);
  expect(freshness.shouldReuse("/wallet", CACHED, 2_000), "a node may show the transaction up to 2 s later").toBe(
    false,
  );
  expect(freshness.shouldReuse("/wallet", CACHED, 8_000)).toBe(true);
});

test("a changed wallet is another device's work unless a transaction landed up to 2 s before the request", () => {
  const freshness = createTestFreshness();
  const record = (state: string, requestTime: number) => freshness.recordState("/wallet", requestTime, state);
  expect([record("1", 1_000), record("1", 61_000), record("2", 121_000)]).toEqual([false, false, true]);
  freshness.recordLanding(180_000);
  expect([record("3", 181_000), record("3", 241_000), record("2", 301_000)]).toEqual([false, false, true]);
});
