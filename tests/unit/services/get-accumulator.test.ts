import { expect, test } from "vitest";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { ASSETS } from "../../../lib/domain/assets";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps, setPrices } from "../../support/fakes/fake-deps";
import { stageTokenAccount } from "../../support/fakes/fake-simulation";
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

test("SOL and USDC count together, and each is named", async () => {
  const deps = stageBalance(20_000_000n);
  stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, 1_999_999n);
  const parts = { balanceUsd: 3, balanceLamports: 20_000_000, balanceUsdc: 1.999999, usdcUsd: 1.999999 };
  expect(await readAccumulator(deps, 5)).toMatchObject({ ...parts, thresholdReached: false, remaining: 0.000001 });
  expect(await readAccumulator(deps, 4.999999)).toMatchObject({ ...parts, thresholdReached: true, remaining: 0 });
});

test("USDC that is not worth a dollar adds nothing, because no investment takes it", async () => {
  const deps = stageBalance(0n);
  stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, 10_000_000n);
  setPrices(deps, { referenceUsd: { USDC: 0.98 } });
  const answer = await readAccumulator(deps, 5);
  expect(answer).toMatchObject({ balanceUsdc: 10, usdcUsd: 0, thresholdReached: false, remaining: 5 });
});

test.each([5e-324, 1e-7, 4e-7, 7.5])(
  "a wallet that does not exist is missing the whole threshold of %d dollars",
  async (threshold) => {
    const { remaining, ...answer } = await readAccumulator(createFakeDeps(), threshold);
    expect(answer).toMatchObject({ balanceSol: 0, balanceUsd: 0, thresholdReached: false });
    expect(remaining).toBe(Math.max(threshold, 0.000001));
  },
);
