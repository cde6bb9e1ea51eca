import { expect, test } from "vitest";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { parseInput } from "../../support/client/contract-input";
import { type FakeDeps, failCalls, fakeDeps, recordRounds, solAccount } from "../../support/fakes/fake-deps";
import { testWallet } from "../../support/fixtures/test-wallets";

const wallet = testWallet("saver").address;

function stageBalance(lamports: bigint): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(wallet, solAccount(lamports));
  return deps;
}

const readAccumulator = async (deps: FakeDeps, threshold?: number) => {
  const input = parseInput(getAccumulatorContract, { address: wallet, threshold });
  return getAccumulatorContract.data.parse(await getAccumulator(deps, input));
};

test("the accumulator returns balance, threshold and missing amount at one price", async () => {
  expect(await readAccumulator(stageBalance(20_000_000n))).toEqual({
    walletAddress: wallet,
    network: "sandbox",
    balanceSol: 0.02,
    balanceLamports: 20_000_000,
    balanceUsd: 3,
    investableLamports: 16_267_880,
    investableUsd: 2.440182,
    solPriceUsd: 150,
    thresholdUsd: 5,
    thresholdReached: false,
    remaining: 2,
  });
});

test("the threshold is reached at exactly its amount", async () => {
  expect(await readAccumulator(stageBalance(200_000_000n), 30)).toMatchObject({
    thresholdReached: true,
    remaining: 0,
    balanceUsd: 30,
  });
  const below = await readAccumulator(stageBalance(199_999_999n), 30);
  expect(below.thresholdReached).toBe(false);
  expect(below.remaining).toBeGreaterThan(0);
});

test("an empty wallet does not reach any threshold, however small", async () => {
  for (const threshold of [1e-7, 4e-7, 5e-324]) {
    expect(await readAccumulator(fakeDeps(), threshold)).toMatchObject({ thresholdReached: false, balanceUsd: 0 });
  }
});

test("a wallet that does not exist lacks the whole threshold", async () => {
  expect(await readAccumulator(fakeDeps(), 7.5)).toMatchObject({
    balanceSol: 0,
    balanceUsd: 0,
    thresholdReached: false,
    remaining: 7.5,
  });
});

test("the accumulator fails without a price or without the chain", async () => {
  const withoutPrice = stageBalance(1_000n);
  withoutPrice.quoted.current = null;
  await expect(readAccumulator(withoutPrice)).rejects.toMatchObject({ code: "price_stale" });
  const withoutChain = stageBalance(1_000n);
  withoutChain.before = failCalls("readAccounts");
  await expect(readAccumulator(withoutChain)).rejects.toMatchObject({ code: "upstream_unavailable" });
});

test("balance, rent and price are read in one round", async () => {
  const deps = stageBalance(1_000n);
  expect(await recordRounds(deps, () => readAccumulator(deps))).toEqual([
    ["prices.readCurrent", "rpc.readAccounts", "rpc.readRentExemptMinimum", "rpc.readRentExemptMinimum"],
  ]);
});
