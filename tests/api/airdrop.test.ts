import { PublicKey } from "@solana/web3.js";
import { afterEach, describe, expect, inject, test } from "vitest";
import { chain, healSandbox, lamportsOf } from "../support/chain/chain";
import { data, get, newWallet, post } from "../support/client/client";

afterEach(healSandbox);

const airdrop = (fields: Record<string, unknown>) => post("/api/sandbox/airdrop", fields);

describe("200", () => {
  test("puts the SOL on the chain, in the transaction that the answer names", async () => {
    const { address } = await newWallet();
    const answer = await data(airdrop({ address, sol: 2.5 }));
    expect(answer).toEqual({
      address,
      sol: 2.5,
      txSignature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
      pastPayments: 0,
    });
    expect(await lamportsOf(address)).toEqual([2_500_000_000]);
    const { value } = await chain().getSignatureStatuses([answer.txSignature]);
    expect(value[0]?.err).toBeNull();
  });

  test("grants one lamport to ten SOL, and pays once per call", async () => {
    const { address } = await newWallet();
    await data(airdrop({ address, sol: 10 }));
    await data(airdrop({ address, sol: 0.000000001 }));
    await data(airdrop({ address, sol: 0.000000001 }));
    expect(await lamportsOf(address)).toEqual([10_000_000_002]);
  });
});

test("history: adds a month of payments to the wallet's past, leaves the airdrop as its only balance, and keeps the chain running", async () => {
  const { address, headers } = await newWallet();
  const { pastPayments } = await data(airdrop({ address, sol: 2, history: true }));
  expect(pastPayments).toBeGreaterThan(20);
  expect(await lamportsOf(address)).toEqual([2_000_000_000]);
  // The airdrop's own transaction appears when its slot is over.
  const list = () => chain().getSignaturesForAddress(new PublicKey(address));
  await expect.poll(async () => (await list()).length, { timeout: 30_000 }).toBe(pastPayments + 1);
  const found = await list();
  const times = found.map(({ blockTime }) => blockTime!);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect(times[0]! - times.at(-1)!).toBeGreaterThan(20 * 86_400);
  expect(found.every(({ err }) => err === null)).toBe(true);
  const { items } = await data(get(`/api/spending/${address}?limit=50`, { headers }));
  expect(items.length).toBeGreaterThan(5);
  expect(Date.parse(items.at(-1)!.time!)).toBeGreaterThan(Date.now() - 7 * 86_400_000);
});

describe("400", () => {
  test("explains that an amount too small to open a new account is refused", async () => {
    const { address } = await newWallet();
    const { status, body } = await airdrop({ address, sol: 0.0000001 });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: "invalid_request",
      issues: [{ path: "sol", message: expect.stringMatching(/rent-exempt/) }],
    });
    expect(await lamportsOf(address)).toEqual([0]);
  });
});

test("funds a fee collector like any other account", async () => {
  const address = inject("doors").feeCollectors[0]!;
  const [before] = await lamportsOf(address);
  await data(airdrop({ address, sol: 0.001 }));
  expect(await lamportsOf(address)).toEqual([before! + 1_000_000]);
});
