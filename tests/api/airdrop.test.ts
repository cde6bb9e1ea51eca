import { expect, test } from "vitest";
import { getConnection, readLamports } from "../support/chain/chain";
import { createWallet, get, post, readData } from "../support/client/client";

const requestAirdrop = (fields: Record<string, unknown>) => post("/api/sandbox/airdrop", fields);

test("200: lands the SOL on the chain in the transaction that the answer names", async () => {
  const { address } = await createWallet();
  const answer = await readData(requestAirdrop({ address, sol: 2.5 }));
  expect(answer).toEqual({
    address,
    sol: 2.5,
    usdc: 0,
    txSignature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
    pastPayments: 0,
  });
  expect(await readLamports(address)).toEqual([2_500_000_000]);
  const { value } = await getConnection().getSignatureStatuses([answer.txSignature]);
  expect(value[0]?.err).toBeNull();
  await readData(requestAirdrop({ address, sol: 0.000000001 }));
  expect(await readLamports(address)).toEqual([2_500_000_001]);
});

test("200: issues USDC besides, each time that a caller asks for it", async () => {
  const { address } = await createWallet();
  for (const balanceUsdc of [12.34, 24.68]) {
    await readData(requestAirdrop({ address, sol: 0.002, usdc: 12.34 }));
    expect(await readData(get(`/api/accumulator/${address}`))).toMatchObject({ balanceUsdc });
  }
  const { balances } = await readData(get(`/api/portfolio/${address}`));
  const amounts = balances.map(({ symbol, amount }: { symbol: string; amount: string }) => [symbol, amount]);
  expect(Object.fromEntries(amounts)).toEqual({ USDC: "24680000", SOL: "4000000" });
});

test("400: refuses an amount below the rent-exempt minimum of a new account", async () => {
  const { address } = await createWallet();
  const { status, body } = await requestAirdrop({ address, sol: 0.0000001 });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: "invalid_request",
    issues: [{ path: "sol", message: expect.stringMatching(/rent-exempt/) }],
  });
  expect(await readLamports(address)).toEqual([0]);
});
