import { expect, test } from "vitest";
import { buyAssets, createSaver } from "../support/chain/chain";
import { get, readData } from "../support/client/client";

test("200: lists swapped assets by descending value with a total that is their sum", async () => {
  const saver = await createSaver({ userSol: 0, serviceSol: 2 });
  const allocations = [
    { asset: "USDC", pct: 10 },
    { asset: "BTC", pct: 60 },
    { asset: "SOL", pct: 30 },
  ];
  await buyAssets(saver, { allocations });
  const { balances, totalUsd } = await readData(get(`/api/portfolio/${saver.serviceWallet.address}`));
  expect(balances.map(({ asset }) => asset)).toEqual(["BTC", "SOL", "USDC"]);
  for (const { amount, balance, decimals, priceUsd, usdValue } of balances) {
    expect(amount).toMatch(/^[1-9]\d*$/);
    expect(balance).toBeCloseTo(Number(amount) / 10 ** decimals, decimals);
    expect(usdValue).toBeCloseTo(balance * priceUsd!, 4);
  }
  const sum = balances.reduce((total, { usdValue }) => total + usdValue!, 0);
  expect(totalUsd).toBeCloseTo(sum, 6);
});
