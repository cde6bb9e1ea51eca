import { describe, expect, test } from "vitest";
import { fromBase64 } from "../../../lib/solana/bytes";
import { computeMinimumOutput, JUPITER_EVENT_AUTHORITY, readJupiterSwap } from "../../../lib/solana/jupiter-swap";
import { JUPITER_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import recorded from "../../support/fixtures/jupiter-build-sol-usdc.json";

const { taker, answer } = recorded;
const { programId, accounts, data } = answer.swapInstruction;
const swap = { program: programId, accounts: accounts.map(({ pubkey }) => pubkey), data: fromBase64(data)! };

/** Returns the recorded swap as a `route_v2` instruction: one leading byte fewer, and accounts in other positions. */
function buildRouteV2() {
  const bytes = Uint8Array.from([0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14, ...swap.data.subarray(9)]);
  const [, wallet, source, , , destination, inputMint, outputMint, program, , events, self] = swap.accounts;
  const firstAccounts = [wallet, source, destination, inputMint, outputMint, program, program, self, events, self];
  return { program: programId, accounts: [...firstAccounts, ...swap.accounts.slice(12)] as string[], data: bytes };
}

const EXPECTED_SWAP = {
  authority: taker,
  source: deriveAssociatedTokenAddress(taker, answer.inputMint),
  destination: deriveAssociatedTokenAddress(taker, answer.outputMint),
  inputMint: answer.inputMint,
  outputMint: answer.outputMint,
  eventAuthority: JUPITER_EVENT_AUTHORITY,
  program: JUPITER_PROGRAM,
  inAmount: BigInt(answer.inAmount),
  quotedOutAmount: BigInt(answer.outAmount),
  slippageBps: answer.slippageBps,
  platformFeeBps: 0,
  positiveSlippageBps: 0,
};

describe("readJupiterSwap", () => {
  test("reads the recorded shared_accounts_route_v2 instruction", () => {
    expect(readJupiterSwap(swap)).toEqual({ ...EXPECTED_SWAP, repeatedDestination: undefined });
  });

  test("reads the same scalars from route_v2", () => {
    expect(readJupiterSwap(buildRouteV2())).toEqual({ ...EXPECTED_SWAP, repeatedDestination: JUPITER_PROGRAM });
  });

  test("leads to the same minimum output as the recorded answer", () => {
    expect(computeMinimumOutput(readJupiterSwap(swap)!)).toBe(BigInt(answer.otherAmountThreshold));
  });

  test("leads to a minimum output of 0 when the slippage exceeds 100 percent", () => {
    expect(computeMinimumOutput({ ...readJupiterSwap(swap)!, slippageBps: 10_001 })).toBe(0n);
  });

  test.each<[string, Partial<typeof swap>]>([
    ["an instruction of another program", { program: taker }],
    ["the older route", { data: withTag("e517cb977ae3ad2a") }],
    ["the older shared_accounts_route", { data: withTag("c1209b3341d69c81") }],
    ["a truncated route plan", { data: swap.data.subarray(0, 31) }],
    ["too few accounts", { accounts: swap.accounts.slice(0, 11) }],
    ["empty data", { data: new Uint8Array() }],
  ])("returns null for %s", (_caseName, changes) => {
    expect(readJupiterSwap({ ...swap, ...changes })).toBeNull();
  });
});

function withTag(hex: string): Uint8Array {
  return Uint8Array.from([...Buffer.from(hex, "hex"), ...swap.data.subarray(8)]);
}
