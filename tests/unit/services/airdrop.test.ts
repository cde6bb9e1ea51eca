import { expect, test, vi } from "vitest";
import { airdropContract } from "../../../lib/contracts/airdrop";
import { AppError } from "../../../lib/errors";
import { airdrop } from "../../../lib/services/airdrop";
import { parseInput } from "../../support/client/contract-input";
import { createFakeDeps, type FakeDeps, FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { deriveServiceWallet, user } from "../../support/worlds/relay-rig";

const requestAirdrop = (deps: FakeDeps, address = user.address) =>
  airdrop(deps, parseInput(airdropContract, { address, sol: 1, history: true }));

test("an airdrop adds past payments to user wallets, not to service wallets or fee collectors", async () => {
  const deps = createFakeDeps();
  const addPastPayments = vi.fn(async () => 80);
  deps.faucet = { airdrop: async () => ({ txSignature: "1".repeat(64) }), addPastPayments };
  expect(await requestAirdrop(deps)).toMatchObject({ pastPayments: 80 });
  for (const address of [await deriveServiceWallet(deps), FEE_COLLECTORS[0]!]) {
    expect(await requestAirdrop(deps, address)).toMatchObject({ address, sol: 1, pastPayments: 0 });
  }
  expect(addPastPayments).toHaveBeenCalledTimes(1);
});

test("a wallet stays empty while its past payments cannot be added, so that a client retries both", async () => {
  const deps = createFakeDeps();
  const fundedAddresses: string[] = [];
  const addPastPayments = vi.fn(async () => 80).mockRejectedValueOnce(new AppError("upstream_timeout"));
  deps.faucet = {
    airdrop: async (address) => ({ txSignature: String(fundedAddresses.push(address)) }),
    addPastPayments,
  };
  await expect(requestAirdrop(deps)).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(fundedAddresses).toEqual([]);
  expect(await requestAirdrop(deps)).toMatchObject({ pastPayments: 80 });
  expect(fundedAddresses).toEqual([user.address]);
});
