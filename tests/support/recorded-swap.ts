import type { AccountState, SwapPlan } from "../../lib/ports";
import { TOKEN_ACCOUNT_BYTES } from "../../lib/solana/token-accounts";
import { associatedTokenAddress } from "../../lib/solana/token-instructions";
import recorded from "../fixtures/jupiter-build-sol-usdc.json";
import { type FakeDeps, fakeDeps, PRICES_USD, pricesAt, solAccount } from "./fake-deps";
import { tokenAccount } from "./fake-simulation";
import { lookupTableData } from "./lookup-table";

/** A mainnet swap as it was recorded, and a world in which it can be built and goes well. */
const { answer, taker } = recorded;

export const TAKER = taker;
export const { inputMint: SOLD, outputMint: BOUGHT } = answer;
export const INPUT = BigInt(answer.inAmount);
export const OUTPUT = BigInt(answer.outAmount);
export const MINIMUM = BigInt(answer.otherAmountThreshold);
export const SLIPPAGE_BPS = answer.slippageBps;
export const OWN_BOUGHT = associatedTokenAddress(TAKER, BOUGHT);
export const OWN_WRAPPED = associatedTokenAddress(TAKER, SOLD);
export const RECORDED_ANSWER = answer;
/** The market at which the recorded swap is exactly fair. */
export const PRICES = { ...PRICES_USD, SOL: Number(OUTPUT) / 1e6 / (Number(INPUT) / 1e9) };

/** As lib/clients/jupiter.ts reads it. */
export function recordedPlan(): SwapPlan {
  const { computeBudgetInstructions, setupInstructions, swapInstruction, cleanupInstruction } = answer;
  return structuredClone({
    inputAmount: INPUT,
    outputAmount: OUTPUT,
    minimumOutputAmount: MINIMUM,
    slippageBps: SLIPPAGE_BPS,
    priceImpact: Number(answer.priceImpactPct),
    route: answer.routePlan.map(({ swapInfo }) => swapInfo.label),
    instructions: [...computeBudgetInstructions, ...setupInstructions, swapInstruction, cleanupInstruction],
    lookupTables: answer.addressesByLookupTableAddress,
  });
}

/** Where each of them stands in `recordedPlan().instructions`. */
export const AT = { price: 0, openWrapped: 1, wrap: 2, sync: 3, openBought: 4, swap: 5, close: 6 } as const;

/** Mainnet, where the taker has just so much SOL that the recorded input is what can be swapped. */
export function recordedWorld(plan: SwapPlan = recordedPlan()): FakeDeps {
  const deps = fakeDeps();
  deps.network = "mainnet-beta";
  deps.plan = () => plan;
  deps.quoted.current = pricesAt(deps.clock.now(), { usd: PRICES });
  const [rent, tokenRent] = [deps.chain.rent(0), deps.chain.rent(TOKEN_ACCOUNT_BYTES)];
  const balance = INPUT + rent + 2n * tokenRent + 105_000n;
  deps.chain.accounts.set(TAKER, solAccount(balance));
  for (const [table, addresses] of Object.entries(plan.lookupTables)) {
    deps.chain.accounts.set(table, { ...solAccount(1n), data: lookupTableData(addresses) });
  }
  const outcome = honestOutcome(balance, tokenRent);
  deps.chain.simulation = (_, addresses = []) => ({
    error: null,
    logs: [],
    unitsConsumed: 400_000,
    accounts: addresses.map((address) => outcome.get(address) ?? deps.chain.accounts.get(address) ?? null),
  });
  return deps;
}

/** What the wallet's accounts are once it has run. */
function honestOutcome(balance: bigint, tokenRent: bigint): Map<string, AccountState | null> {
  return new Map<string, AccountState | null>([
    [TAKER, solAccount(balance - INPUT - tokenRent - 5_000n)],
    [OWN_BOUGHT, tokenAccount(BOUGHT, TAKER, OUTPUT, tokenRent)],
    [OWN_WRAPPED, null],
  ]);
}
