import type { SwapTerms } from "../../../domain/swap/swap-check";
import type { SwapPlan, SwapRequest, WireInstruction } from "../../../domain/swap/swap-plan";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import { fromBase64, toBase64 } from "../../../solana/bytes";
import {
  capComputeUnitPrice,
  MAX_COMPUTE_UNITS,
  maxPriceFor,
  readUnitPrice,
  setComputeUnitLimit,
} from "../../../solana/compute-budget";
import { networkFee } from "../../../solana/fees";
import { composeTransaction } from "../../../solana/transactions";
import { rememberHeight } from "../relay/build-records";
import { describeRuntimeError } from "../relay/runtime-error";
import { checkDraft, checkOutcome, expectedAccounts, readBefore } from "./swap-guard";

/** Of the units a simulation used, in percent: the state moves between simulation and landing. Source: Jupiter's own guidance. */
const UNIT_MARGIN_PERCENT = 120;

/** Tried in turn where a route of the 64 accounts that Jupiter uses by default is too large for a transaction. */
const FEWER_ACCOUNTS = [40, 26];

/** Any 32 bytes: an unsigned simulation puts the newest blockhash in their place. */
const ANY_BLOCKHASH = "11111111111111111111111111111111";

export interface BuiltSwap {
  /** Unsigned v0 transaction, base64. */
  transaction: string;
  lastValidBlockHeight: number;
  unsigned: BlockhashInfo & { base64: string };
  /** Base fee and the most its priority fee can be. */
  networkFeeLamports: bigint;
}

/**
 * Plans a swap whose transaction fits its 1,232 bytes, or the smallest there is.
 * @throws AppError no_route, upstream_*
 */
export async function planThatFits({ swaps }: Deps, request: SwapRequest & { taker: string }): Promise<SwapPlan> {
  let plan = await swaps.plan(request);
  for (const maxAccounts of FEWER_ACCOUNTS) {
    if (fits(request.taker, plan)) break;
    plan = await swaps.plan({ ...request, maxAccounts });
  }
  return plan;
}

function fits(wallet: string, plan: SwapPlan): boolean {
  try {
    compose(wallet, plan, DRAFT);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Composes a planned swap, looks at what it is and what it would do, and limits it to the units that took.
 * @throws AppError simulation_failed when it would fail now, upstream_invalid when the plan does not fit a transaction, is
 * anything but a swap of these terms, or would leave the wallet with less than they promise
 */
export async function assembleSwap(deps: Deps, terms: SwapTerms, plan: SwapPlan): Promise<BuiltSwap> {
  const { maxPriorityFeeLamports } = deps;
  const draft = compose(terms.wallet, plan, DRAFT);
  checkDraft(deps.network, draft, terms);
  const expected = expectedAccounts(draft, terms);
  const [before, usual, latest] = await Promise.all([
    readBefore(deps, draft, terms),
    deps.rpc.simulate(draft.bytes, { verifySignatures: false, accounts: expected }),
    // Our own node's, not the aggregator's: on its height rests when the swap is said to have expired.
    deps.rpc.latestBlockhash(),
  ]);
  // Which others of its accounts are the wallet's own is only known now; what happens to those is to be seen as well.
  const simulation =
    before.size === expected.length
      ? usual
      : await deps.rpc.simulate(draft.bytes, { verifySignatures: false, accounts: [...before.keys()] });
  if (simulation.error !== null) {
    throw new AppError("simulation_failed", {
      message: `The swap would fail now: ${describeRuntimeError(simulation.error)}`,
    });
  }
  checkOutcome(before, simulation.accounts ?? [], terms, networkFee(1, MAX_COMPUTE_UNITS, draft.unitPrice));
  const used = simulation.unitsConsumed ?? MAX_COMPUTE_UNITS;
  const units = Math.min(MAX_COMPUTE_UNITS, Math.max(1, Math.ceil((used * UNIT_MARGIN_PERCENT) / 100)));
  const { blockhash, lastValidBlockHeight } = latest;
  const { bytes, unitPrice } = compose(terms.wallet, plan, { units, blockhash, maxPriorityFeeLamports });
  await rememberHeight(deps, latest);
  const base64 = toBase64(bytes);
  return {
    transaction: base64,
    lastValidBlockHeight,
    unsigned: { base64, blockhash, lastValidBlockHeight },
    networkFeeLamports: networkFee(1, units, unitPrice),
  };
}

interface Frame {
  units: number;
  blockhash: string;
  maxPriorityFeeLamports: bigint;
}

/** Without a price for its units, which changes nothing but the fee: a wallet that can just pay it need not pay for all. */
const DRAFT: Frame = { units: MAX_COMPUTE_UNITS, blockhash: ANY_BLOCKHASH, maxPriorityFeeLamports: 0n };

function compose(payer: string, plan: SwapPlan, { units, blockhash, maxPriorityFeeLamports }: Frame) {
  const most = maxPriceFor(units, maxPriorityFeeLamports);
  const instructions = [setComputeUnitLimit(units), ...plan.instructions.map((one) => capPrice(one, most))];
  const unitPrice = instructions.reduce((price, one) => price + (priceOf(one) ?? 0n), 0n);
  try {
    const { lookupTables } = plan;
    return { ...composeTransaction({ payer, instructions, blockhash, lookupTables }), instructions, unitPrice };
  } catch (cause) {
    throw new AppError("upstream_invalid", { cause });
  }
}

const priceOf = ({ programId, data }: WireInstruction) =>
  readUnitPrice({ program: programId, data: fromBase64(data) ?? new Uint8Array() });

function capPrice(instruction: WireInstruction, most: bigint): WireInstruction {
  if (priceOf(instruction) === null) return instruction;
  return { ...instruction, data: capComputeUnitPrice(instruction.data, most)! };
}
