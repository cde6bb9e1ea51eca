import { afterEach, expect, inject, test } from "vitest";
import { removeFaults } from "../support/chain/chain";
import { data, fund, get, newWallet } from "../support/client/client";

afterEach(removeFaults);

test("200: returns both wallets, the newest activity and the prices, as their own operations do", async () => {
  const [user, service] = [await newWallet(), await newWallet()];
  await fund(user.address, 1);
  await fund(service.address, 0.5);
  const read = () => data(get(`/api/overview/${user.address}?serviceWallet=${service.address}`));
  await expect.poll(async () => (await read()).activity, { timeout: 30_000 }).toHaveLength(1);
  const overview = await read();
  expect(overview).toMatchObject({
    walletAddress: user.address,
    serviceWallet: service.address,
    network: "sandbox",
    prices: { source: "sandbox", stale: false },
    portfolio: { walletAddress: user.address, pendingSol: 1 },
    savings: { walletAddress: service.address, pendingSol: 0.5 },
    activity: [{ type: "deposit", estimated: true }],
    spending: null,
    unavailable: [{ part: "spending", code: "credentials_missing" }],
  });
  expect(overview.savings!.investableLamports).toBeGreaterThan(0);
});

test("200: adds the spending for callers with credentials; wrong credentials get a 401", async () => {
  const wallet = await newWallet();
  const read = (headers: Record<string, string>) => get(`/api/overview/${wallet.address}`, { headers });
  const { spending, unavailable } = await data(read({ "x-api-key": inject("apps").apiKey }));
  expect(spending).toEqual({
    ...{ payments: 0, totalUsd: 0, savedThrough: null, isComplete: true },
    ...{ items: [], batches: [], nextBefore: null },
  });
  expect(unavailable).toEqual([]);
  expect((await read({ "x-api-key": "ru_test_nonsense" })).body).toMatchObject({ code: "credentials_invalid" });
});
