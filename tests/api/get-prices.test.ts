import { expect, test } from "vitest";
import { data, get } from "../support/client/client";

test("200: returns a positive price for every asset, with its time, age and source", async () => {
  const readPrices = () => data(get("/api/price"));
  // While the source is slow, as on a busy machine, the service answers with the last prices for a while.
  await expect.poll(async () => (await readPrices()).stale, { timeout: 30_000 }).toBe(false);
  const answer = await readPrices();
  expect(answer).toEqual({
    prices: {
      SOL: expect.any(Number),
      BTC: expect.any(Number),
      ETH: expect.any(Number),
      USDC: expect.any(Number),
      USDT: expect.any(Number),
    },
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ageMs: expect.any(Number),
    stale: false,
    source: "sandbox",
    problems: [],
  });
  expect(Object.values<number>(answer.prices).every((usd) => usd > 0)).toBe(true);
  expect(Number.isInteger(answer.ageMs) && answer.ageMs >= 0).toBe(true);
});
