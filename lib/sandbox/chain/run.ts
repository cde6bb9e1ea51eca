import { executeOnLedger, simulateOnLedger } from "./execute";
import { type DecodedTransaction, decodeAddress, decodeTransaction } from "./guard";
import type { History } from "./history";
import type { Ledger } from "./ledger";
import type { Native } from "./native";
import { describeError } from "./runtime-errors";
import { SLOTS_PER_EPOCH, type SlotClock } from "./slot-clock";
import {
  RPC_CODES,
  RpcError,
  type SignatureInfo,
  type SimResult,
  type SimulateOptions,
  type TransactionError,
} from "./types";

/** The shared state of an open chain. */
export interface Core {
  native: Native;
  ledger: Ledger;
  clock: SlotClock;
  history: History;
  counts: { transactions: number; airdrops: number };
  /** Wall clock, milliseconds since the epoch. */
  now: () => number;
  /** Must be called when there are changes to save. */
  onChange: () => void;
  /** Changes that no save has taken yet. Records are oldest first. */
  unsaved: { any: boolean; records: SignatureInfo[] };
  /** Returns the slot from which on transactions are not yet on disk. */
  confirmBefore: () => number;
  signatureListeners: Set<(info: SignatureInfo) => void>;
  /** Slot to which the runtime's clock is set. */
  runtimeSlot: number;
}

/**
 * Sets the runtime's clock to the current slot. Call it before the runtime is used: most slots pass without a use.
 * The lookup table program checks a new table's slot against the slot hashes.
 */
export function syncRuntime(core: Core): void {
  const { native, ledger, clock, now } = core;
  const slot = clock.getSlot();
  if (core.runtimeSlot === slot) return;
  core.runtimeSlot = slot;
  const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
  const seconds = BigInt(Math.floor(now() / 1000));
  ledger.svm.setClock(new native.Clock(BigInt(slot), seconds, epoch, epoch + 1n, seconds));
  const recent = Array.from({ length: 32 }, (_, back) => slot - back);
  ledger.svm.setSlotHashes(recent.map((s) => ({ slot: BigInt(s), hash: clock.getHash(s) })));
}

/** Returns the error with which a cluster would reject the transaction before it runs at the slot `at`, or null. */
function findRefusal(
  { history, clock }: Core,
  { signature, transaction }: DecodedTransaction,
  checkBlockhash: boolean,
  at = clock.getSlot(),
): TransactionError | null {
  const before = history.findInfo(signature);
  if (before && before.slot <= at) return "AlreadyProcessed";
  const { recentBlockhash } = transaction.message;
  return checkBlockhash && clock.findUsableSlot(recentBlockhash, at) === null ? "BlockhashNotFound" : null;
}

function createRefusedResult(err: TransactionError, logs: string[], accounts: string[] | null): SimResult {
  const none = accounts?.map(() => null) ?? null;
  return { err, logs, unitsConsumed: 0, accounts: none, innerInstructions: [], accountKeys: [], returnData: null };
}

/** Implements Chain.simulate, which advances the clock first. @param at slot whose state is used; defaults to now */
export function simulate(
  core: Core,
  decoded: DecodedTransaction,
  options: SimulateOptions,
  at = core.clock.getSlot(),
): SimResult {
  const { sigVerify = false, replaceRecentBlockhash = false } = options;
  const accounts = options.accounts ?? null;
  for (const address of accounts ?? []) decodeAddress(address);
  if (decoded.foreignProgram !== null) {
    const log = `The sandbox does not run program ${decoded.foreignProgram}`;
    return createRefusedResult("ProgramAccountNotFound", [log], accounts);
  }
  syncRuntime(core);
  const run = () => simulateOnLedger(core.native, core.ledger, decoded, { sigVerify, accounts });
  const result = core.ledger.past.runDuring(at, run);
  if (sigVerify && result.err === "SignatureFailure") {
    throw new RpcError(RPC_CODES.signatureVerificationFailure, "Transaction signature verification failure");
  }
  const refusal = findRefusal(core, decoded, !replaceRecentBlockhash, at);
  return refusal === null ? result : createRefusedResult(refusal, [], accounts);
}

function runPreflight(core: Core, decoded: DecodedTransaction): void {
  const { err, logs, unitsConsumed, returnData } = simulate(core, decoded, { sigVerify: true });
  if (err === null) return;
  throw new RpcError(RPC_CODES.preflightFailure, `Transaction simulation failed: ${describeError(err)}`, {
    err,
    logs,
    unitsConsumed,
    accounts: null,
    returnData: returnData && { ...returnData, data: [returnData.data, "base64"] },
  });
}

/** Implements Chain.send, which advances the clock first. */
export function send(core: Core, raw: Uint8Array, skipPreflight: boolean): string {
  const decoded = decodeTransaction(raw);
  if (!skipPreflight) runPreflight(core, decoded);
  else if (decoded.foreignProgram !== null || findRefusal(core, decoded, true) !== null) return decoded.signature;
  syncRuntime(core);
  const when = { slot: core.clock.getSlot(), blockTime: Math.floor(core.now() / 1000) };
  const record = executeOnLedger(core.native, core.ledger, decoded, when);
  if (record === null) return decoded.signature;
  core.history.add(record);
  core.counts.transactions++;
  const info = core.history.findInfo(record.signature)!;
  core.unsaved.records.push(info);
  core.onChange();
  for (const listener of core.signatureListeners) listener(info);
  return decoded.signature;
}
