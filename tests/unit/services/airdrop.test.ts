import { expect, test, vi } from "vitest";
import { airdropContract } from "../../../lib/contracts/airdrop";
import { AppError } from "../../../lib/errors";
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

test("a wallet stays empty while its past payments cannot be added, so that a client retries both", async () => {
  const deps = createFakeDeps();
  const fundedAddresses: string[] = [];
  const addPastPayments = vi.fn(async () => 80).mockRejectedValueOnce(new AppError("upstream_timeout"));
  deps.faucet = {
    airdrop: async (address) => ({ txSignature: String(fundedAddresses.push(address)) }),
    addPastPayments,
  };
  const request = () => airdrop(deps, parseInput(airdropContract, { address: user.address, sol: 1, history: true }));
  await expect(request()).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(fundedAddresses).toEqual([]);
  expect(await request()).toMatchObject({ pastPayments: 80 });
  expect(fundedAddresses).toEqual([user.address]);
});
