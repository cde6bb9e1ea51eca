import { expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { get, readData } from "../support/client/client";

test("200: returns a positive price for every asset, with its time, age and source", async () => {
  const readPrices = () => readData(get("/api/price"));
  // While the source is slow, as on a busy machine, the service answers with the last prices for a while.
  await expect.poll(async () => (await readPrices()).stale, { timeout: 30_000 }).toBe(false);
  const { prices, timestamp, ageMs, ...rest } = await readPrices();
  expect(rest).toEqual({ stale: false, source: "sandbox", problems: [] });
  expect(Object.keys(prices).sort()).toEqual(Object.keys(ASSETS).sort());
  for (const usd of Object.values(prices)) expect(usd).toBeGreaterThan(0);
  expect(Date.now() - Date.parse(timestamp!)).toBeGreaterThanOrEqual(ageMs!);
});
