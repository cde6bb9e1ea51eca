import { toHex } from "./bytes";
import { type ReadInstruction, toDataView } from "./instructions";
import { JUPITER_PROGRAM } from "./programs";

/** Signer of Jupiter's own events. The address is the same for all swaps. */
export const JUPITER_EVENT_AUTHORITY = "D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf";

/**
 * The two Jupiter v6 swap instructions that this reader supports: the first eight bytes, the offset of the scalars and
 * the position of each account. The scalars precede the route plan: in_amount u64, quoted_out_amount u64, slippage_bps
 * u16, platform_fee_bps u16, positive_slippage_bps u16. Older variants and the exact-out ones have other layouts.
 * Source: the program's IDL. A recorded answer of GET /swap/v2/build decodes this way (tests/support/fixtures).
 */
const VARIANTS = [
  {
    name: "route_v2",
    discriminator: "bb64facc31c4af14",
    scalarsAt: 8,
    accounts: {
      authority: 0,
      source: 1,
      destination: 2,
      inputMint: 3,
      outputMint: 4,
      destinationAgain: 7,
      eventAuthority: 8,
      program: 9,
    },
  },
  {
    name: "shared_accounts_route_v2",
    discriminator: "d19853937cfed8e9",
    scalarsAt: 9,
    accounts: { authority: 1, source: 2, destination: 5, inputMint: 6, outputMint: 7, eventAuthority: 10, program: 11 },
  },
] as const;

export interface JupiterSwap {
  /** The wallet whose tokens the swap may move. */
  authority: string | null;
  source: string | null;
  destination: string | null;
  /** The repeated destination of `route_v2`: the destination account, or Jupiter's own address for "none". */
  destinationAgain: string | null | undefined;
  inputMint: string | null;
  outputMint: string | null;
  eventAuthority: string | null;
  program: string | null;
  /** Base units of the input mint. */
  inAmount: bigint;
  /** Base units of the output mint. */
  quotedOutAmount: bigint;
  slippageBps: number;
  platformFeeBps: number;
  positiveSlippageBps: number;
}

/** Reads a swap instruction. Null for anything except these two variants. */
export function readJupiterSwap({ program, accounts, data }: ReadInstruction): JupiterSwap | null {
  if (program !== JUPITER_PROGRAM) return null;
  const tag = toHex(data.subarray(0, 8));
  const variant = VARIANTS.find(({ discriminator }) => discriminator === tag);
  // The u32 length of the route plan follows the scalars.
  if (!variant || data.length < variant.scalarsAt + 22 + 4 || accounts.length <= variant.accounts.program) return null;
  const view = toDataView(data);
  const at = variant.scalarsAt;
  const { destinationAgain, ...places } = { destinationAgain: undefined, ...variant.accounts };
  const readAccount = (index: number) => accounts[index] ?? null;
  return {
    authority: readAccount(places.authority),
    source: readAccount(places.source),
    destination: readAccount(places.destination),
    destinationAgain: destinationAgain === undefined ? undefined : readAccount(destinationAgain),
    inputMint: readAccount(places.inputMint),
    outputMint: readAccount(places.outputMint),
    eventAuthority: readAccount(places.eventAuthority),
    program: readAccount(places.program),
    inAmount: view.getBigUint64(at, true),
    quotedOutAmount: view.getBigUint64(at + 8, true),
    slippageBps: view.getUint16(at + 16, true),
    platformFeeBps: view.getUint16(at + 18, true),
    positiveSlippageBps: view.getUint16(at + 20, true),
  };
}

/** Returns the minimum output that the program enforces, base units: ceil(quoted × (10,000 − slippage) / 10,000). */
export function computeLeastOutput({ quotedOutAmount, slippageBps }: JupiterSwap): bigint {
  const kept = slippageBps < 10_000 ? BigInt(10_000 - slippageBps) : 0n;
  return (quotedOutAmount * kept + 9_999n) / 10_000n;
}
