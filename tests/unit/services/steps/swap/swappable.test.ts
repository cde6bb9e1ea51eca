import { expect, test } from "vitest";
import { buildSwapContract } from "../../../../../lib/contracts/build-swap";
import { ASSETS } from "../../../../../lib/domain/assets";
import { buildSwap } from "../../../../../lib/services/build-swap";
import { getAccumulator } from "../../../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../../../lib/services/get-portfolio";
import { deriveAssociatedTokenAddress } from "../../../../../lib/solana/token-instructions";
import { callService } from "../../../../support/client/contract-input";
import { createSolAccount, TOKEN_RENT } from "../../../../support/fakes/fake-deps";
import { createTokenAccount } from "../../../../support/fakes/fake-simulation";
import { stageHoldings, wallet } from "../../../../support/worlds/holding-world";

const btcAccount = deriveAssociatedTokenAddress(wallet, ASSETS.BTC.mint);
const openBtcAccount = createTokenAccount(ASSETS.BTC.mint, wallet, 0n, TOKEN_RENT);

test.each([
  ["an empty wallet", 0n, null],
  ["less than the costs", 2_000_000n, null],
  ["exactly the costs", 3_732_120n, null],
  ["one lamport more than the costs", 3_732_121n, null],
  ["enough", 1_000_000_000n, null],
  ["enough, with an open BTC account", 1_000_000_000n, openBtcAccount],
  ["enough, with SOL at the address of the future BTC account", 1_000_000_000n, createSolAccount(1_000_000n)],
])(
  "accumulator and portfolio return the amount that a build would swap, for a balance of %s",
  async (_what, lamports, token) => {
    const deps = stageHoldings(lamports);
    if (token) deps.chain.accounts.set(btcAccount, token);
    const request = { serviceWalletPubkey: wallet, threshold: 0.000001 };
    const { swappableLamports } = await callService(buildSwapContract, buildSwap, deps, request);
    const investableUsd = Math.floor(swappableLamports * 0.15) / 1e6;
    const expected = { investableLamports: swappableLamports, investableUsd };
    expect(await getPortfolio(deps, { address: wallet })).toMatchObject(expected);
    expect(await getAccumulator(deps, { address: wallet })).toMatchObject(expected);
  },
);
