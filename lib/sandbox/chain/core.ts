import { type DecodedTransaction, decodeAddress, decodeTransaction } from "./decode-transaction";
import { executeOnLedger, simulateOnLedger } from "./execute";
import type { TransactionHistory } from "./history";
import type { Ledger } from "./ledger";
import type { Native } from "./native";
import { describeError } from "./runtime-errors";
import { SLOTS_PER_EPOCH, type SlotClock } from "./slot-clock";
import {
  type FeeModel,
  RPC_CODES,
  RpcError,
  type SignatureInfo,
  type SimulateOptions,
  type SimulationResult,
  type TransactionError,
} from "./types";

/** The state that all methods of an open chain share. */
export interface Core {
  native: Native;
  ledger: Ledger;
  clock: SlotClock;
  history: TransactionHistory;
  counts: { transactions: number; airdrops: number };
  /** How transactions are charged from now on. */
  feeModel: FeeModel;
  /** Wall clock, milliseconds since the epoch. */
  now: () => number;
  /** Records that the chain has changed in the current slot. */
  recordChange: () => void;
  /**
   * The first slots with changes that are not stored: those that wait, and those that are being stored. Infinity for
   * none. Transactions of these slots and of later ones stay `processed`.
   */
  unstored: { waitingSlot: number; writingSlot: number };
  signatureListeners: Set<(info: SignatureInfo) => void>;
  /** Slot to which the runtime's clock is set. -1 before it is first set. */
  runtimeSlot: number;
}

/** Number of slot hashes that the runtime gets. The lookup table program checks the slot of a new table against them. */
const SLOT_HASH_COUNT = 32;

/** Sets the runtime's clock to the current slot. Call it before the runtime is used: most slots pass without a use. */
export function syncRuntime(core: Core): void {
  const { native, ledger, clock, now } = core;
  const slot = clock.getSlot();
  if (core.runtimeSlot === slot) return;
  core.runtimeSlot = slot;
  const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
  const seconds = BigInt(Math.floor(now() / 1000));
  ledger.svm.setClock(new native.Clock(BigInt(slot), seconds, epoch, epoch + 1n, seconds));
  const recentSlots = Array.from({ length: SLOT_HASH_COUNT }, (_, age) => slot - age);
  const slotHashes = recentSlots.map((recentSlot) => ({ slot: BigInt(recentSlot), hash: clock.getHash(recentSlot) }));
  ledger.svm.setSlotHashes(slotHashes);
}

/** Returns the error with which a cluster would reject the transaction before it runs at `slot`; null for none. */
function findRefusal(
  { history, clock }: Core,
  { signature, transaction }: DecodedTransaction,
  shouldCheckBlockhash: boolean,
  slot = clock.getSlot(),
): TransactionError | null {
  const earlierRun = history.findInfo(signature);
  if (earlierRun && earlierRun.slot <= slot) return "AlreadyProcessed";
  const { recentBlockhash } = transaction.message;
  return shouldCheckBlockhash && clock.findValidSlot(recentBlockhash, slot) === null ? "BlockhashNotFound" : null;
}

function createRefusedResult(err: TransactionError, logs: string[], accounts: string[] | null): SimulationResult {
  return {
    err,
    logs,
    accounts: accounts?.map(() => null) ?? null,
    balances: null,
    loadedAccountsDataSize: 0,
    loadedAddresses: { writable: [], readonly: [] },
    unitsConsumed: 0,
    fee: null,
    innerInstructions: [],
    accountKeys: [],
    returnData: null,
  };
}

/**
 * Implements Chain.simulate. The caller advances the clock first.
 * @param slot slot whose state is used; defaults to the current slot
 */
export function simulateTransaction(
  core: Core,
  decoded: DecodedTransaction,
  options: SimulateOptions,
  slot = core.clock.getSlot(),
): SimulationResult {
  const { sigVerify = false, replaceRecentBlockhash = false } = options;
  const accounts = options.accounts ?? null;
  for (const address of accounts ?? []) decodeAddress(address);
  if (decoded.unsupportedProgram !== null) {
    const log = `The sandbox does not run program ${decoded.unsupportedProgram}`;
    return createRefusedResult("ProgramAccountNotFound", [log], accounts);
  }
  syncRuntime(core);
  const runOptions = { sigVerify, accounts, feeModel: core.feeModel };
  const runSimulation = () => simulateOnLedger(core.native, core.ledger, decoded, runOptions);
  const result = core.ledger.pastAccounts.runAtSlot(slot, runSimulation);
  if (result.err === "SignatureFailure") return createRefusedResult("SignatureFailure", [], accounts);
  const refusal = findRefusal(core, decoded, !replaceRecentBlockhash, slot);
  return refusal === null ? result : createRefusedResult(refusal, [], accounts);
}

/** Simulates a transaction before it is sent. @throws RpcError -32002 when it would fail or has a bad signature */
function runPreflight(core: Core, decoded: DecodedTransaction): void {
  const simulation = simulateTransaction(core, decoded, { sigVerify: true });
  const { err, logs, unitsConsumed, fee, returnData, loadedAccountsDataSize } = simulation;
  if (err === null) return;
  throw new RpcError(RPC_CODES.preflightFailure, `Transaction simulation failed: ${describeError(err)}`, {
    err,
    logs,
    unitsConsumed,
    accounts: null,
    fee: fee === null ? null : Number(fee),
    loadedAccountsDataSize,
    returnData,
  });
}

/** Implements Chain.send. The caller advances the clock first. */
export function sendTransaction(core: Core, wireBytes: Uint8Array, { skipPreflight = false } = {}): string {
  const decoded = decodeTransaction(wireBytes);
  if (!skipPreflight) runPreflight(core, decoded);
  else if (decoded.unsupportedProgram !== null || findRefusal(core, decoded, true) !== null) return decoded.signature;
  syncRuntime(core);
  const { feeModel } = core;
  const runOptions = { feeModel, slot: core.clock.getSlot(), blockTime: Math.floor(core.now() / 1000) };
  const record = executeOnLedger(core.native, core.ledger, decoded, runOptions);
  if (record === null) return decoded.signature;
  core.history.addRecords(record);
  core.counts.transactions++;
  core.recordChange();
  const info = core.history.findInfo(record.signature)!;
  for (const listener of core.signatureListeners) listener(info);
  return decoded.signature;
}
