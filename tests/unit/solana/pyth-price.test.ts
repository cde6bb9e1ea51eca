import { createHash } from "node:crypto";
import { PublicKey } from "@solana/web3.js";
import { expect, test } from "vitest";
import { PYTH_ACCOUNTS } from "@/lib/cli/price-check";
import { PYTH_FEEDS } from "@/lib/domain/prices/pyth-feeds";
import { readPythPrice } from "@/lib/solana/pyth-price";
import { SOL_ACCOUNT, withBytesAt } from "../../support/fixtures/pyth-account";

test("readPythPrice reads feed, price, confidence, exponent and time of a recorded account", () => {
  expect(readPythPrice(SOL_ACCOUNT)).toEqual({
    feedId: PYTH_FEEDS.SOL,
    price: 7_609_640_500n,
    confidence: 4_347_230n,
    exponent: -8,
    publishTime: 1_786_657_207n,
  });
});

test.each([
  ["another kind of account", withBytesAt(0, 1)],
  ["an update that few guardians signed", withBytesAt(40, 0, 5)],
  ["an unknown level of verification", withBytesAt(40, 2)],
  ["too few bytes", SOL_ACCOUNT.subarray(0, 132)],
  ["no bytes", new Uint8Array()],
])("readPythPrice returns null for %s", (_caseName, data) => {
  expect(readPythPrice(data)).toBeNull();
});

test("the constants are Anchor's discriminator and the push oracle's accounts of shard 0", () => {
  const hash = createHash("sha256").update("account:PriceUpdateV2").digest();
  expect([...SOL_ACCOUNT.subarray(0, 8)]).toEqual([...hash.subarray(0, 8)]);
  // The push oracle. The address of each feed's account is derived from this program.
  const program = new PublicKey("pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT");
  for (const [asset, feed] of Object.entries(PYTH_FEEDS)) {
    const [address] = PublicKey.findProgramAddressSync([Buffer.from([0, 0]), Buffer.from(feed, "hex")], program);
    expect(PYTH_ACCOUNTS[asset as keyof typeof PYTH_FEEDS]).toBe(address.toBase58());
  }
});
