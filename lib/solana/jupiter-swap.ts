import { toHex } from "./bytes";
import { type DecodedInstruction, toDataView } from "./instructions";
import { JUPITER_PROGRAM } from "./programs";

/** The account that signs Jupiter's own events. Its address is the same for all swaps. */
export const JUPITER_EVENT_AUTHORITY = "D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf";

/**
 * The two Jupiter v6 swap instructions that readJupiterSwap supports: `route_v2` and `shared_accounts_route_v2`. Each
 * has the first eight bytes as hex, the byte offset of the scalars and the index of each account. The scalars precede
 * the route plan: in_amount u64, quoted_out_amount u64, slippage_bps u16, platform_fee_bps u16, positive_slippage_bps
 * u16. Older instructions and exact-out instructions have other layouts. Source: the program's IDL. A recorded answer
 * of GET /swap/v2/build decodes this way (tests/support/fixtures).
 */
const VARIANTS = [
  {
    discriminator: "bb64facc31c4af14",
    scalarsOffset: 8,
    accounts: {
      authority: 0,
      source: 1,
      destination: 2,
      inputMint: 3,
      outputMint: 4,
      repeatedDestination: 7,
      eventAuthority: 8,
      program: 9,
    },
  },
  {
    discriminator: "d19853937cfed8e9",
    scalarsOffset: 9,
    accounts: { authority: 1, source: 2, destination: 5, inputMint: 6, outputMint: 7, eventAuthority: 10, program: 11 },
  },
] as const;

/**
 * Null when only a lookup table holds the account. `authority` is the wallet whose tokens the swap may move. Only
 * `route_v2` has `repeatedDestination`: the destination account again, or Jupiter's own address for "none".
 */
type SwapAccounts = Record<keyof (typeof VARIANTS)[1]["accounts"], string | null> & {
  repeatedDestination?: string | null;
};

interface JupiterSwap extends SwapAccounts {
  /** Base units of the input mint. */
  inAmount: bigint;
  quotedOutAmount: bigint;
  slippageBps: number;
  platformFeeBps: number;
  positiveSlippageBps: number;
}

/** Reads a swap instruction. Returns null for anything except the two supported variants. */
export function readJupiterSwap({ program, accounts, data }: DecodedInstruction): JupiterSwap | null {
  if (program !== JUPITER_PROGRAM) return null;
  const discriminatorHex = toHex(data.subarray(0, 8));
  const variant = VARIANTS.find(({ discriminator }) => discriminator === discriminatorHex);
  // The scalars take 22 bytes. The u32 length of the route plan follows them.
  if (!variant || data.length < variant.scalarsOffset + 22 + 4 || accounts.length <= variant.accounts.program)
    return null;
  const view = toDataView(data);
  const offset = variant.scalarsOffset;
  const namedAccounts = Object.entries(variant.accounts).map(([name, index]) => [name, accounts[index] ?? null]);
  return {
    ...(Object.fromEntries(namedAccounts) as SwapAccounts),
    inAmount: view.getBigUint64(offset, true),
    quotedOutAmount: view.getBigUint64(offset + 8, true),
    slippageBps: view.getUint16(offset + 16, true),
    platformFeeBps: view.getUint16(offset + 18, true),
    positiveSlippageBps: view.getUint16(offset + 20, true),
  };
}

/** Returns the minimum output that the program enforces, base units: ceil(quoted × (10,000 − slippage) / 10,000). */
export function computeMinimumOutput({ quotedOutAmount, slippageBps }: JupiterSwap): bigint {
  const keptBps = slippageBps < 10_000 ? BigInt(10_000 - slippageBps) : 0n;
  return (quotedOutAmount * keptBps + 9_999n) / 10_000n;
}
