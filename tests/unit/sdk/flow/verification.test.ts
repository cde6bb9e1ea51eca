import { describe, expect, test } from "vitest";
import { buildSaleContract } from "@/lib/contracts/build-sale";
import { buildSwapContract } from "@/lib/contracts/build-swap";
import { buildWithdrawContract } from "@/lib/contracts/build-withdraw";
import { ASSETS } from "@/lib/domain/assets";
import { createInvestSpec } from "@/lib/sdk/flow/invest";
import { createSellSpec } from "@/lib/sdk/flow/sell";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { buildSale } from "@/lib/services/build-sale";
import { buildSwap } from "@/lib/services/build-swap";
import { buildWithdraw } from "@/lib/services/build-withdraw";
import { createEmbeddedSandbox } from "../../../support/chain/embedded-sandbox";
import { ONE_SOL, putTokens } from "../../../support/chain/sandbox-rig";
import { callService } from "../../../support/client/contract-input";
import { PRICES_USD } from "../../../support/fakes/fake-deps";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { stranger } from "../../../support/worlds/relay-rig";

/* The deposits that a review shows, with builds of the real service, which then lies about its costs. */

/** The rent of a token account at the highest rate that Solana has ever had. */
const HIGHEST_DEPOSIT = 2_039_280;
const WALLET = toTestWallet("saver").address;

function stageWallet() {
  const sandbox = createEmbeddedSandbox();
  sandbox.setLamports(WALLET, 5n * ONE_SOL);
  return sandbox;
}

/** Replaces what the service says about deposits. */
const lie = <Build extends { costs: { tokenAccountDepositLamports: number } }>(
  build: Build,
  lamports: number,
): Build => ({
  ...build,
  costs: { ...build.costs, tokenAccountDepositLamports: lamports },
});

describe("whatever the service says, a review shows as a deposit", () => {
  const claims = [0, 1, 5_000_000_000];

  test("the highest rent for each account that a purchase opens, and nothing for an account that exists", async () => {
    const { deps, chain } = stageWallet();
    putTokens(chain, WALLET, ASSETS.BTC.mint, 1_000n);
    const legs = [
      { asset: "BTC", pct: 40 },
      { asset: "ETH", pct: 60 },
    ] as const;
    const fields = { serviceWalletPubkey: WALLET, allocations: legs };
    const build = { ...(await callService(buildSwapContract, buildSwap, deps, fields)), prices: PRICES_USD };
    const { verify } = createInvestSpec(WALLET, "sandbox");
    for (const claim of claims) {
      const request = { allocations: [...legs], slippageBps: 100, thresholdUsd: 5 };
      const { costs } = await verify(lie(build, claim), request as Parameters<typeof verify>[1]);
      expect(costs.tokenAccountDepositLamports).toBe(HIGHEST_DEPOSIT);
    }
  });

  test("the highest rent for a sale into a new coin, and nothing for one into SOL or an account that exists", async () => {
    for (const [into, hasAccount, deposit] of [
      ["USDC", false, HIGHEST_DEPOSIT],
      ["USDC", true, 0],
      ["SOL", false, 0],
    ] as const) {
      const { deps, chain } = stageWallet();
      putTokens(chain, WALLET, ASSETS.BTC.mint, 100_000n);
      if (hasAccount) putTokens(chain, WALLET, ASSETS.USDC.mint, 0n);
      const fields = { serviceWalletPubkey: WALLET, asset: "BTC", all: true, into };
      const build = { ...(await callService(buildSaleContract, buildSale, deps, fields)), prices: PRICES_USD };
      const { verify } = createSellSpec(WALLET, "sandbox");
      const request = { asset: "BTC", into, amountBaseUnits: null, slippageBps: 100 } as Parameters<typeof verify>[1];
      for (const claim of claims)
        expect((await verify(lie(build, claim), request)).costs.tokenAccountDepositLamports).toBe(deposit);
    }
  });

  test("the highest rent for each account that a withdrawal opens at the destination", async () => {
    const { deps, chain } = stageWallet();
    putTokens(chain, WALLET, ASSETS.BTC.mint, 100_000n);
    putTokens(chain, WALLET, ASSETS.ETH.mint, 100_000n);
    const fields = { serviceWalletPubkey: WALLET, destination: stranger.address, all: true };
    const build = await callService(buildWithdrawContract, buildWithdraw, deps, fields);
    const { verify } = createWithdrawSpec(WALLET, "sandbox");
    const request = { destination: stranger.address, asset: null, amountBaseUnits: null } as Parameters<
      typeof verify
    >[1];
    for (const claim of claims)
      expect((await verify(lie(build, claim), request)).costs.tokenAccountDepositLamports).toBe(2 * HIGHEST_DEPOSIT);
  });
});
