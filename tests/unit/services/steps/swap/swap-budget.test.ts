import { expect, test } from "vitest";
import { buildSwapContract } from "../../../../../lib/contracts/build-swap";
import { ASSETS } from "../../../../../lib/domain/assets";
import { buildSwap } from "../../../../../lib/services/build-swap";
import { getAccumulator } from "../../../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../../../lib/services/get-portfolio";
import { deriveAssociatedTokenAddress } from "../../../../../lib/solana/token-instructions";
import { callService } from "../../../../support/client/contract-input";
import { createSolAccount } from "../../../../support/fakes/fake-deps";
import { createTokenAccount } from "../../../../support/fakes/fake-simulation";
import { TOKEN_RENT_LAMPORTS } from "../../../../support/fixtures/rent";
import { stageHoldings, wallet } from "../../../../support/worlds/holding-world";

/** The reserve, the deposit of a BTC account and the highest network fee: 2,138,680 + 1,488,440 + 105,000 lamports. */
const COSTS_LAMPORTS = 3_732_120n;
const btcAccount = deriveAssociatedTokenAddress(wallet, ASSETS.BTC.mint);
const openBtcAccount = createTokenAccount(ASSETS.BTC.mint, wallet, 0n, TOKEN_RENT_LAMPORTS);

test.each([
  ["an empty wallet", 0n, null],
  ["less than the costs", 2_000_000n, null],
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
