import { expect, test } from "vitest";
import { createMeasures } from "../../../lib/clients/solana/measures";
import { buildPaymentsContract } from "../../../lib/contracts/build-payments";
import { buildPayments } from "../../../lib/services/build-payments";
import { ASSOCIATED_TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { createEmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import { ONE_SOL } from "../../support/chain/sandbox-rig";
import { callService } from "../../support/client/contract-input";
import { signTransaction } from "../../support/fixtures/test-wallets";
import { user } from "../../support/worlds/relay-rig";

test("sandbox payments open each shop's account once, and land with the units of their shape", async () => {
  const sandbox = createEmbeddedSandbox();
  const { chain, deps } = sandbox;
  deps.measures = createMeasures({ clock: deps.clock });
  sandbox.setLamports(user.address, ONE_SOL);
  const openedShops: string[] = [];
  for (let round = 0; round < 12; round++) {
    const { payments } = await callService(buildPaymentsContract, buildPayments, deps, { address: user.address });
    expect(payments).toHaveLength(3);
    const shops = new Set(payments.map(({ shop }) => shop));
    for (const { shop, unsigned } of payments) {
      const { instructions } = readTransaction(unsigned.base64);
      const opens = instructions.some(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM);
      if (opens && shops.delete(shop)) openedShops.push(shop);
      const signature = chain.send(signTransaction(Buffer.from(unsigned.base64, "base64"), user));
      expect(chain.findTransaction(signature)!.err).toBeNull();
    }
    await deps.clock.advance(1_000);
  }
  expect(openedShops.length).toBeGreaterThan(3);
  expect(new Set(openedShops).size).toBe(openedShops.length);
});
