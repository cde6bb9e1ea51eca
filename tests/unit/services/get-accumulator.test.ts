import { expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { ASSETS } from "../../../lib/domain/assets";
import { buildSwap } from "../../../lib/services/build-swap";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps, setPrices } from "../../support/fakes/fake-deps";
import { createTokenAccount, stageTokenAccount } from "../../support/fakes/fake-simulation";
import { TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { stageHoldings, wallet } from "../../support/worlds/holding-world";

const readAccumulator = (deps: FakeDeps, threshold?: number) =>
  callService(getAccumulatorContract, getAccumulator, deps, { address: wallet, threshold });

test("the threshold is reached at exactly its amount", async () => {
  const reachedAnswer = { thresholdReached: true, remaining: 0, balanceUsd: 30 };
  expect(await readAccumulator(stageHoldings(200_000_000n), 30)).toMatchObject(reachedAnswer);
  const belowThreshold = await readAccumulator(stageHoldings(199_999_999n), 30);
  expect(belowThreshold.thresholdReached).toBe(false);
  expect(belowThreshold.remaining).toBeGreaterThan(0);
});

test("SOL and USDC count together, and each is named", async () => {
  const deps = stageHoldings(20_000_000n);
  stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, 1_999_999n);
  const parts = { balanceUsd: 3, balanceLamports: 20_000_000, balanceUsdc: 1.999999, usdcUsd: 1.999999 };
  expect(await readAccumulator(deps, 5)).toMatchObject({ ...parts, thresholdReached: false, remaining: 0.000001 });
  expect(await readAccumulator(deps, 4.999999)).toMatchObject({ ...parts, thresholdReached: true, remaining: 0 });
});

test("USDC that is not worth a dollar adds nothing, because no investment takes it", async () => {
  const deps = stageHoldings(0n);
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

/** The reserve, the deposit of a BTC account and the highest network fee: 2,138,680 + 1,488,440 + 105,000 lamports. */
const COSTS_LAMPORTS = 3_732_120n;
const btcAccount = deriveAssociatedTokenAddress(wallet, ASSETS.BTC.mint);
const openBtcAccount = createTokenAccount(ASSETS.BTC.mint, wallet, 0n, TOKEN_RENT_LAMPORTS);

test.each([
  ["an empty wallet", 0n, null],
  ["exactly the costs", COSTS_LAMPORTS, null],
  ["one lamport more than the costs", COSTS_LAMPORTS + 1n, null],
  ["enough", 1_000_000_000n, null],
  ["enough, with an open BTC account", 1_000_000_000n, openBtcAccount],
  ["enough, with SOL at the address of the future BTC account", 1_000_000_000n, createSolAccount(1_000_000n)],
])(
  "accumulator and portfolio return the amount that a build would swap, for a balance of %s",
  async (_caseName, lamports, btcAccountState) => {
    const deps = stageHoldings(lamports);
    if (btcAccountState) deps.chain.accounts.set(btcAccount, btcAccountState);
    const request = { serviceWalletPubkey: wallet, threshold: 0.000001 };
    const { swappableLamports } = await callService(buildSwapContract, buildSwap, deps, request);
    // At 150 USD per SOL, rounded down to micro-dollars.
    const investableUsd = Math.floor(swappableLamports * 0.15) / 1e6;
    const expected = { investableLamports: swappableLamports, investableUsd };
    expect(await getPortfolio(deps, { address: wallet })).toMatchObject(expected);
    expect(await getAccumulator(deps, { address: wallet })).toMatchObject(expected);
  },
);
