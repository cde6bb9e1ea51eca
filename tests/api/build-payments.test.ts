import { expect, test } from "vitest";
import { createWallet, fund, get, post, postSigned, readData, signTransaction } from "../support/client/client";

const buildPayments = (body: object) => post("/api/sandbox/spend", body);

test("200: builds payments that land when signed and appear in the spending at their value", async () => {
  const { address, keys, headers } = await createWallet();
  await fund(address, 2);
  const { payments } = await readData(buildPayments({ address, count: 7 }));
  expect(payments).toHaveLength(7);
  for (const { unsigned } of payments) await readData(postSigned(signTransaction(unsigned.base64, keys), headers));
  const { items } = await readData(get(`/api/spending/${address}`, { headers }));
  const paidAmounts = items.map(({ amounts }) => amounts[0]!.amount).reverse();
  expect(paidAmounts).toEqual(payments.map(({ amounts }) => amounts[0]!.amount));
  for (const [i, { usdValue }] of payments.entries()) expect(items.at(-1 - i)!.usdValue).toBeCloseTo(usdValue, 1);
});

test("200: builds nothing for a wallet without money", async () => {
  const { address } = await createWallet();
  expect(await readData(buildPayments({ address }))).toEqual({ address, payments: [] });
});
