import { expect, test } from "vitest";
import { createJupiter } from "../../../../lib/clients/jupiter";
import { ASSETS } from "../../../../lib/domain/assets";
import type { AccountState, SolanaRpc } from "../../../../lib/ports";
import { verifySwap } from "../../../../lib/sdk/verify/swap";
import { assembleSwap } from "../../../../lib/services/steps/swap-transaction";
import { NATIVE_MINT } from "../../../../lib/solana/programs";
import { fakeDeps } from "../../../support/fake-deps";
import { createMarketRig, type MarketRig } from "../../../support/market-rig";
import { json, stagedServer } from "../../../support/staged-server";

/** The sandbox's chain in the place of a node. */
function rpcOf({ chain }: MarketRig): Pick<SolanaRpc, "accounts" | "simulate"> {
  const state = (account: AccountState | null) => account && { ...account, data: Uint8Array.from(account.data) };
  return {
    accounts: async (addresses) => addresses.map((address) => state(chain.account(address) as AccountState | null)),
    async simulate(transaction, { verifySignatures: sigVerify, accounts }) {
      const options = { sigVerify, replaceRecentBlockhash: !sigVerify, accounts };
      const { err, logs, unitsConsumed, accounts: after } = chain.simulate(transaction, options);
      return { error: err, logs, unitsConsumed, slot: chain.slot(), accounts: (after as AccountState[]).map(state) };
    },
  };
}

test("a swap of the sandbox's own market, played through by the real runtime, is built and verifies", async () => {
  const rig = createMarketRig();
  const wallet = rig.taker.publicKey.toBase58();
  const { mint: outputMint } = ASSETS.BTC;
  const request = { inputMint: NATIVE_MINT, outputMint, amount: 1_000_000_000n, slippageBps: 100, taker: wallet };
  const market = await stagedServer(json(await rig.build()));
  const deps = fakeDeps();
  const client = createJupiter({ baseUrl: market.url, timeoutMs: 2_000, clock: deps.clock });
  const plan = await client.plan(request).finally(() => market.close());
  Object.assign(deps, { rpc: { ...deps.rpc, ...rpcOf(rig) } });
  const terms = {
    wallet,
    inputMint: NATIVE_MINT,
    outputMint,
    inputAmount: request.amount,
    minimumOutput: plan.minimumOutputAmount,
    slippageBps: 100,
  };
  const { transaction, networkFeeLamports } = await assembleSwap(deps, terms, plan);
  const figures = verifySwap("sandbox", transaction, terms);
  expect(figures).toEqual({ inputAmount: 1_000_000_000n, minimumOutput: plan.outputAmount, networkFeeLamports });
});
