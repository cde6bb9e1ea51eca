import { afterEach, expect, test } from "vitest";
import { removeFaults, stageFault } from "../support/chain/chain";
import { data, get } from "../support/client/client";

afterEach(removeFaults);

test("200: returns a positive price for every asset, with its time, age and source", async () => {
  const read = () => data(get("/api/price"));
  // While the source is slow, as on a busy machine, the service answers with the last prices for a while.
  await expect.poll(async () => (await read()).stale, { timeout: 30_000 }).toBe(false);
  const answer = await read();
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

test("200: answers with the last prices and their own time while the source fails, never with zero", async () => {
  const before = await data(get("/api/price"));
  await stageFault("/price/v3");
  const during = await data(get("/api/price"));
  expect(during.prices).toEqual(before.prices);
  expect(during.timestamp).toBe(before.timestamp);
  expect(during.ageMs).toBeGreaterThanOrEqual(before.ageMs);
});
