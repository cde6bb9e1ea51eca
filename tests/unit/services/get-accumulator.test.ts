import { expect, test } from "vitest";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const wallet = toTestWallet("saver").address;

function stageBalance(lamports: bigint): FakeDeps {
  const deps = createFakeDeps();
  deps.chain.accounts.set(wallet, createSolAccount(lamports));
  return deps;
}

const readAccumulator = (deps: FakeDeps, threshold?: number) =>
  callService(getAccumulatorContract, getAccumulator, deps, { address: wallet, threshold });

test("the threshold is reached at exactly its amount", async () => {
  const reachedAnswer = { thresholdReached: true, remaining: 0, balanceUsd: 30 };
  expect(await readAccumulator(stageBalance(200_000_000n), 30)).toMatchObject(reachedAnswer);
  const belowThreshold = await readAccumulator(stageBalance(199_999_999n), 30);
  expect(belowThreshold.thresholdReached).toBe(false);
  expect(belowThreshold.remaining).toBeGreaterThan(0);
});

test.each([5e-324, 1e-7, 4e-7, 7.5])(
  "a wallet that does not exist is missing the whole threshold of %d dollars",
  async (threshold) => {
    const { remaining, ...answer } = await readAccumulator(createFakeDeps(), threshold);
    expect(answer).toMatchObject({ balanceSol: 0, balanceUsd: 0, thresholdReached: false });
    expect(remaining).toBe(Math.max(threshold, 0.000001));
  },
);
