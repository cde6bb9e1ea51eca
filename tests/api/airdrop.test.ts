import { expect, test } from "vitest";
import { getConnection, readLamports } from "../support/chain/chain";
import { createWallet, post, readData } from "../support/client/client";

const requestAirdrop = (fields: Record<string, unknown>) => post("/api/sandbox/airdrop", fields);

test("200: lands the SOL on the chain in the transaction that the answer names", async () => {
  const { address } = await createWallet();
  const answer = await readData(requestAirdrop({ address, sol: 2.5 }));
  expect(answer).toEqual({
    address,
    sol: 2.5,
    txSignature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
    pastPayments: 0,
  });
  expect(await readLamports(address)).toEqual([2_500_000_000]);
  const { value } = await getConnection().getSignatureStatuses([answer.txSignature]);
  expect(value[0]?.err).toBeNull();
});

test("200: grants any amount from one lamport to ten SOL", async () => {
  const { address } = await createWallet();
  await readData(requestAirdrop({ address, sol: 10 }));
  await readData(requestAirdrop({ address, sol: 0.000000001 }));
  await readData(requestAirdrop({ address, sol: 0.000000001 }));
  expect(await readLamports(address)).toEqual([10_000_000_002]);
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
