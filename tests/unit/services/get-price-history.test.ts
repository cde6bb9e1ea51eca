import { expect, test } from "vitest";
import { getPriceHistoryContract } from "../../../lib/contracts/get-price-history";
import { DAY_MS } from "../../../lib/domain/time";
import { getPriceHistory } from "../../../lib/services/get-price-history";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, type FakeDeps, failCalls } from "../../support/fakes/fake-deps";

const readHistory = (deps: FakeDeps, query: Record<string, unknown> = { asset: "SOL" }) =>
  callService(getPriceHistoryContract, getPriceHistory, deps, query);

/** Stages one reading per day up to yesterday. The SOL prices are 1, 2, 3 and so on. */
function stageDays(count: number) {
  const deps = createFakeDeps();
  const nowMs = deps.clock.now();
  deps.dailyPrices = Array.from({ length: count }, (_, i) => ({
    time: nowMs - (count - i) * DAY_MS,
    usd: { SOL: i + 1, BTC: 100_000 },
    source: "pyth",
  }));
  return deps;
}

test("a price history thins five years out to 400 evenly spaced points that include the first and the last", async () => {
  const { points } = await readHistory(stageDays(1_825), { asset: "SOL", days: 1_825 });
  expect(points).toHaveLength(400);
  expect(points![0]!.usd).toBe(1);
  expect(points!.at(-1)!.usd).toBe(150);
  const gaps = points!.slice(1, -1).map(({ usd }, i) => usd - points![i]!.usd);
  expect(new Set(gaps)).toEqual(new Set([4, 5]));
});

test("without any price, the history has no points and no source", async () => {
  const deps = createFakeDeps();
  deps.currentPrices = null;
  expect(await readHistory(deps)).toEqual({ asset: "SOL", source: null, points: [] });
});

test("a history that cannot be read is an error, never an empty one", async () => {
  const deps = stageDays(2);
  deps.beforeCall = failCalls("readSeries");
  await expect(readHistory(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
});
