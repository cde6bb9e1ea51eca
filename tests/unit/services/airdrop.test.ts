import { expect, test, vi } from "vitest";
import { airdropContract } from "../../../lib/contracts/airdrop";
import { airdrop } from "../../../lib/services/airdrop";
import { parseInput } from "../../support/client/contract-input";
import { createFakeDeps, FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { deriveServiceWallet, user } from "../../support/worlds/relay-rig";

test("an airdrop adds past payments to user wallets, not to service wallets or fee collectors", async () => {
  const deps = createFakeDeps();
  const addPastPayments = vi.fn(async () => 80);
  deps.faucet = { airdrop: async () => ({ txSignature: "1".repeat(64) }), addPastPayments };
  const requestAirdrop = (address: string) =>
    airdrop(deps, parseInput(airdropContract, { address, sol: 1, history: true }));
  expect(await requestAirdrop(user.address)).toMatchObject({ pastPayments: 80 });
  for (const address of [await deriveServiceWallet(deps), FEE_COLLECTORS[0]!]) {
    expect(await requestAirdrop(address)).toMatchObject({ address, sol: 1, pastPayments: 0 });
  }
  expect(addPastPayments).toHaveBeenCalledTimes(1);
});
