import { afterEach, describe, expect, test } from "vitest";
import { buyAssets, createSaver, removeFaults } from "../support/chain/chain";
import { data, get, newWallet } from "../support/client/client";

afterEach(removeFaults);

const read = (address: string) => data(get(`/api/portfolio/${address}`));

describe("200", () => {
  test("returns no balances for a wallet that does not exist", async () => {
    const { address } = await newWallet();
    expect(await read(address)).toEqual({
      walletAddress: address,
      network: "sandbox",
      balances: [],
      totalUsd: 0,
      pendingSol: 0,
      pendingLamports: 0,
      pendingUsd: 0,
      investableLamports: 0,
      investableUsd: 0,
      leftOut: [],
      solPriceUsd: expect.any(Number),
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test("shows swapped assets with their value, the most valuable first, and a total that is their sum", async () => {
    const saver = await createSaver({ userSol: 0, serviceSol: 2 });
    const allocations = [
      { asset: "USDC", pct: 10 },
      { asset: "BTC", pct: 60 },
      { asset: "SOL", pct: 30 },
    ];
    await buyAssets(saver, { allocations });
    const { balances, totalUsd } = await read(saver.service.address);
    expect(balances.map(({ asset }) => asset)).toEqual(["BTC", "SOL", "USDC"]);
    for (const { amount, balance, decimals, priceUsd, usdValue } of balances) {
      expect(amount).toMatch(/^[1-9]\d*$/);
      expect(balance).toBeCloseTo(Number(amount) / 10 ** decimals, decimals);
      expect(usdValue).toBeCloseTo(balance * priceUsd!, 4);
    }
    const sum = balances.reduce((total, { usdValue }) => total + usdValue!, 0);
    expect(totalUsd).toBeCloseTo(sum, 6);
  });
});
