import { expect, test } from "vitest";
import { createWallet, fund, get, readData } from "../support/client/client";

test("200: returns both wallets, the newest activity and the prices in one answer", async () => {
  const [user, serviceWallet] = [await createWallet(), await createWallet()];
  await fund(user.address, 1);
  await fund(serviceWallet.address, 0.5);
  const readOverview = () => readData(get(`/api/overview/${user.address}?serviceWallet=${serviceWallet.address}`));
  await expect.poll(async () => (await readOverview()).activity, { timeout: 30_000 }).toHaveLength(1);
  const overview = await readOverview();
  expect(overview).toMatchObject({
    walletAddress: user.address,
    serviceWallet: serviceWallet.address,
    network: "sandbox",
    prices: { source: "sandbox", stale: false },
    portfolio: { walletAddress: user.address, pendingSol: 1 },
    savings: { walletAddress: serviceWallet.address, pendingSol: 0.5 },
    activity: [{ type: "deposit", estimated: true }],
    spending: null,
    unavailable: [{ part: "spending", code: "credentials_missing" }],
  });
  expect(overview.savings!.investableLamports).toBeGreaterThan(0);
});
