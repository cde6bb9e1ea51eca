import { expect, test } from "vitest";
import { createSaver } from "../support/chain/chain";
import { createWallet, fund, get, post, readData } from "../support/client/client";

const readAccumulator = (address: string) => readData(get(`/api/accumulator/${address}`));

test("200: reports the same investable amount as the swap build and the portfolio", async () => {
  const { user, serviceWallet } = await createSaver({ userSol: 0, serviceSol: 0.5 });
  const body = { serviceWalletPubkey: serviceWallet.address };
  const { swappableLamports } = await readData(post("/api/swap/build", body, { headers: user.headers }));
  const { investableLamports, investableUsd, solPriceUsd } = await readAccumulator(serviceWallet.address);
  expect(investableLamports).toBe(swappableLamports);
  expect(investableUsd).toBeCloseTo((investableLamports / 1e9) * solPriceUsd, 5);
  const portfolio = await readData(get(`/api/portfolio/${serviceWallet.address}`));
  expect(portfolio).toMatchObject({ investableLamports, investableUsd });
});

test("200: shows a deposit through the service in the next read", async () => {
  const { address } = await createWallet();
  await readAccumulator(address);
  await fund(address, 1);
  expect((await readAccumulator(address)).balanceLamports).toBe(1_000_000_000);
});
