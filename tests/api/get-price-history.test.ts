import { expect, test } from "vitest";
import { get, readData } from "../support/client/client";

test("200: returns one point for each day, and the current price as the last one", async () => {
  const history = await readData(get("/api/prices/history?asset=BTC&days=30"));
  const { prices } = await readData(get("/api/price"));
  expect(history).toMatchObject({ asset: "BTC", source: "sandbox" });
  // In the first half minute of a day, the current price can still be of the day before.
  expect([30, 31]).toContain(history.points!.length);
  expect(history.points!.at(-1)!.usd).toBe(prices.BTC);
});

test("200: returns at most 400 points of each asset when a caller requests all assets", async () => {
  const answer = await get("/api/prices/history?asset=all&days=1825");
  expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
  const { series } = await readData(answer);
  expect(series!.map(({ asset, points }) => [asset, points.length])).toEqual(
    ["BTC", "ETH", "SOL", "USDC", "USDT"].map((asset) => [asset, 400]),
  );
});
