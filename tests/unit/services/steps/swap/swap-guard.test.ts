import { expect, test } from "vitest";
import { createJupiter } from "../../../../../lib/clients/jupiter/jupiter";
import { ASSETS } from "../../../../../lib/domain/assets";
import type { AccountState } from "../../../../../lib/domain/chain-accounts";
import type { SolanaRpc } from "../../../../../lib/ports/solana-rpc";
import { verifySwap } from "../../../../../lib/sdk/verify/swap";
import { buildVerifiedSwap } from "../../../../../lib/services/steps/swap/swap-transaction";
import { NATIVE_MINT } from "../../../../../lib/solana/programs";
import { createFakeDeps, PRICES_USD } from "../../../../support/fakes/fake-deps";
import { answerJson, startStagedServer } from "../../../../support/fakes/staged-server";
import { FLAT_FEE_LAMPORTS } from "../../../../support/fixtures/flat-fee";
import { createMarketRig, type MarketRig } from "../../../../support/worlds/market-rig";

/** Creates an RPC port that reads and simulates on the sandbox's chain. */
function createRpc({ chain }: MarketRig): Pick<SolanaRpc, "readAccounts" | "simulate"> {
  const copyState = (account: AccountState | null) => account && { ...account, data: Uint8Array.from(account.data) };
  return {
    readAccounts: async (addresses) =>
      addresses.map((address) => copyState(chain.getAccount(address) as AccountState | null)),
    async simulate(transaction, { verifySignatures: sigVerify, accounts }) {
      const options = { sigVerify, replaceRecentBlockhash: !sigVerify, accounts };
      const { err, unitsConsumed, accounts: accountsAfter } = chain.simulate(transaction, options);
      return {
        error: err,
        unitsConsumed,
        feeLamports: null,
        slot: chain.getSlot(),
        accounts: (accountsAfter as AccountState[]).map(copyState),
      };
    },
  };
}

/** Builds and verifies a swap on the sandbox's market. Buys the sold asset first unless that is SOL. */
async function buildSwap(inputMint: string, outputMint: string) {
  const rig = createMarketRig();
  if (inputMint !== NATIVE_MINT) rig.runSwap(await rig.buildSwap({ outputMint: inputMint }));
  const wallet = rig.taker.publicKey.toBase58();
  const amount = inputMint === NATIVE_MINT ? 1_000_000_000n : rig.readTokens(inputMint)!;
  const request = { inputMint, outputMint, amount, slippageBps: 100, taker: wallet };
  const market = await startStagedServer(answerJson(await rig.buildSwap({ inputMint, outputMint, amount })));
  const deps = createFakeDeps();
  const client = createJupiter({ baseUrl: market.url, timeoutMs: 20_000, clock: deps.clock });
  const plan = await client.planSwap(request).finally(() => market.close());
  Object.assign(deps, { rpc: { ...deps.rpc, ...createRpc(rig) } });
  const { minimumOutputAmount: minimumOutput } = plan;
  const terms = { wallet, inputMint, outputMint, inputAmount: amount, minimumOutput, slippageBps: 100 };
  return { terms, plan, swap: await buildVerifiedSwap(deps, terms, plan) };
}

test.each([
  ["SOL", "BTC"],
  ["BTC", "SOL"],
  ["BTC", "USDC"],
  ["USDC", "BTC"],
] as const)(
  "a swap of %s to %s on the sandbox's market, simulated by the real runtime, is built and verified",
  async (soldAsset, boughtAsset) => {
    const { terms, plan, swap } = await buildSwap(ASSETS[soldAsset].mint, ASSETS[boughtAsset].mint);
    const { inputAmount } = terms;
    const lowestFeeLamports = swap.networkFeeLamports - FLAT_FEE_LAMPORTS + 2_500n;
    const figures = verifySwap("sandbox", swap.transaction, terms, PRICES_USD);
    // The wrapped SOL account closes again, and its deposit returns.
    const maxDepositLamports = boughtAsset === "SOL" ? 0n : 2_039_280n;
    expect(figures).toMatchObject({
      inputAmount,
      minimumOutput: plan.outputAmount,
      lowestFeeLamports,
      maxDepositLamports,
    });
  },
);
