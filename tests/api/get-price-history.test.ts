import { expect, test } from "vitest";
import { data, get } from "../support/client/client";

const DAY_MS = 86_400_000;

test("200: returns one point a day of the sandbox's past, oldest first, ending with the current price", async () => {
  const [history, { prices }] = [
    await data(get("/api/prices/history?asset=BTC&days=30")),
    await data(get("/api/price")),
  ];
  expect(history).toMatchObject({ asset: "BTC", source: "sandbox" });
  const times = history.points!.map(({ time }) => Date.parse(time));
  const newest = times.at(-1)!;
  const midnights = times.slice(0, -1);
  // Half a minute after midnight the newest price can still be of the day before.
  expect([29, 30]).toContain(midnights.length);
  expect(midnights).toEqual(midnights.map((_, i) => (Math.ceil(newest / DAY_MS) - midnights.length + i) * DAY_MS));
  expect(history.points!.at(-1)!.usd).toBe(prices.BTC);
});

test("200: returns at most 400 points for every asset at once, cacheable for a minute", async () => {
  const answer = await get("/api/prices/history?asset=all&days=1825");
  expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
  const { series } = await data(Promise.resolve(answer));
  expect(series!.map(({ asset, points }) => [asset, points.length])).toEqual(
    ["BTC", "ETH", "SOL", "USDC", "USDT"].map((asset) => [asset, 400]),
  );
});
