import { createHash, randomBytes } from "node:crypto";
import bs58 from "bs58";
import { type Core, sendTransaction, syncRuntime } from "./core";
import { decodeAddress, isRuntimeAddress } from "./decode-transaction";
import { createFaucet, MAX_AIRDROP_LAMPORTS } from "./faucet";
import { computeFee } from "./fees";
import { createTransactionHistory } from "./history";
import { createLedger, type SavedAccount } from "./ledger";
import { loadNative } from "./native";
import { addPastPayments } from "./past-payments";
import { createSlotClock, type SlotClockState } from "./slot-clock";
import { type Chain, type FeeModel, refuseParams, type TransactionRecord } from "./types";
import { createClockView, createLaggingChain } from "./views";

/** The saved form of a chain. */
export interface ChainState {
  /** Sequence number of the last changes included. */
  sequence: number;
  clock: SlotClockState;
  transactionCount: number;
  airdropCount: number;
  accounts: SavedAccount[];
  history: TransactionRecord[];
}

/** The changes since the last `takeChanges`. It holds only the changed accounts and the new transactions. */
export type ChainChanges = ChainState;

/** A ChainState whose accounts and transactions are encoded as JSON. A save writes them without encoding them again. */
export interface ChainSnapshot extends Omit<ChainState, "accounts" | "history"> {
  accounts: string[];
  history: string[];
}

export type LocalChain = ReturnType<typeof openChain>;

/** Settings of a running chain. The saved chain does not contain them, so a restart may change them. */
export interface ChainSettings {
  /** How transactions are charged. Default: `flat`. */
  feeModel?: FeeModel;
  /** Length of a slot, ms. Default: 200. */
  slotMs?: number;
}

interface OpenChainOptions extends ChainSettings {
  /** The saved state to restore. Without it, a new chain starts. */
  state?: ChainState;
  /** Wall clock, milliseconds since the epoch. */
  now?: () => number;
}

function createState(genesisTime: number): ChainState {
  const clock = { seed: randomBytes(32).toString("hex"), genesisTime, skewSlots: 0, lastSlot: 0 };
  return { sequence: 0, clock, transactionCount: 0, airdropCount: 0, accounts: [], history: [] };
}

function deriveSecret(seed: string, label: string): Uint8Array {
  return createHash("sha256").update(label).update("\n").update(Buffer.from(seed, "hex")).digest();
}

/** Implements the methods of Chain that change it. */
function createWriteMethods(core: Core, getLatestBlockhash: Chain["getLatestBlockhash"]) {
  const { clock } = core;
  const faucet = createFaucet(deriveSecret(clock.state.seed, "faucet"), core.ledger);
  return {
    send(wireBytes, options) {
      clock.advanceToWallSlot();
      return sendTransaction(core, wireBytes, options);
    },
    airdrop(address, lamports) {
      decodeAddress(address);
      if (lamports <= 0n || lamports > MAX_AIRDROP_LAMPORTS)
        refuseParams(`Invalid param: lamports must be 1 to ${MAX_AIRDROP_LAMPORTS}`);
      const { blockhash } = getLatestBlockhash();
      return sendTransaction(core, faucet.buildSignedTransfer(address, lamports, blockhash, ++core.counts.airdrops));
    },
    addPastPayments(wallet, shops) {
      clock.advanceToWallSlot();
      syncRuntime(core);
      return addPastPayments(core, wallet, shops);
    },
    setAccount(address, account) {
      core.ledger.setAccount(address, account);
      core.recordChange();
    },
    setFeeModel(model) {
      core.feeModel = model;
    },
    setRent: (lamportsPerByte) => core.ledger.setRent(lamportsPerByte),
    advanceSlots(slots) {
      if (!Number.isSafeInteger(slots) || slots < 0) throw new RangeError("slots must be a whole number, 0 or more");
      clock.advance(slots);
      core.recordChange();
    },
  } satisfies Partial<Chain>;
}

/** Implements the methods of Chain that read the newest state or follow it. */
function createReadMethods(core: Core) {
  const { ledger, history, counts, clock } = core;
  return {
    getAccount(address) {
      if (isRuntimeAddress(address)) syncRuntime(core);
      return ledger.getAccount(address);
    },
    onSignature(listener) {
      core.signatureListeners.add(listener);
      return () => core.signatureListeners.delete(listener);
    },
    getGenesisHash: () => bs58.encode(deriveSecret(clock.state.seed, "genesis")),
    computeRentExemptMinimum: (bytes) => ledger.svm.minimumBalanceForRentExemption(BigInt(bytes)),
    listProgramAccounts: (programId) => ledger.listProgramAccounts(programId),
    sumLamports: () => ledger.sumLamports(),
    listTokenAccounts: (owner) => ledger.tokens.listByOwner(owner),
    computeFee: (message) => computeFee(message, core.feeModel),
    countTransactions: () => counts.transactions,
    findSignature: (signature) => history.findInfo(signature),
    findTransaction: (signature) => history.findRecord(signature),
  } satisfies Partial<Chain>;
}

/** Implements the methods that save the chain. @param savedSequence sequence number of the last saved changes */
function createSaveMethods(core: Core, savedSequence: number) {
  const { history } = core;
  let sequence = savedSequence;
  const readCounters = () => ({
    sequence,
    clock: { ...core.clock.state },
    transactionCount: core.counts.transactions,
    airdropCount: core.counts.airdrops,
  });
  const findOldestUnsavedSlot = () => core.unsaved.records[0]?.slot ?? Number.POSITIVE_INFINITY;
  return {
    createSnapshot: () => ({ ...readCounters(), accounts: core.ledger.listLines(), history: history.listLines() }),
    hasChanges: () => core.unsaved.hasChanges,
    /** Returns the slot of the oldest unsaved transaction, or Infinity if there is none. */
    findOldestUnsavedSlot,
    /**
     * Removes the pending ChainChanges and returns them as JSON, with the slot of their oldest transaction. The slot is
     * Infinity if there is no transaction.
     */
    takeChanges() {
      const oldestSlot = findOldestUnsavedSlot();
      const records = core.unsaved.records.map(({ signature }) => history.findLine(signature)!);
      core.unsaved = { hasChanges: false, records: [] };
      sequence++;
      const accounts = core.ledger.takeChangedLines();
      const unclosedCounters = JSON.stringify(readCounters()).slice(0, -1);
      const json = `${unclosedCounters},"accounts":[${accounts.join(",")}],"history":[${records.join(",")}]}`;
      return { json, sequence, oldestSlot };
    },
    /**
     * Sets a function that returns the first slot whose transactions stay `processed`. A transaction must not be
     * confirmed before it is on disk.
     */
    setConfirmationLimitSlot(getSlot: () => number) {
      core.getConfirmationLimitSlot = getSlot;
    },
  };
}

/**
 * Opens a chain: the real Solana runtime (LiteSVM), with slots, expiring blockhashes and history added here.
 * @throws {Error} with instructions when the native package is missing
 */
export function openChain({ state, now = Date.now, feeModel = "flat", slotMs }: OpenChainOptions = {}) {
  const native = loadNative();
  const initialState = state ?? createState(now());
  const history = createTransactionHistory();
  for (const record of initialState.history) history.addRecords(record);
  const changeListeners: (() => void)[] = [];
  const core: Core = {
    native,
    ledger: createLedger(native, initialState.accounts),
    clock: createSlotClock(initialState.clock, now, slotMs),
    history,
    counts: { transactions: initialState.transactionCount, airdrops: initialState.airdropCount },
    feeModel,
    now,
    getConfirmationLimitSlot: () => Number.POSITIVE_INFINITY,
    unsaved: { hasChanges: false, records: [] },
    recordChange: () => {
      core.unsaved.hasChanges = true;
      for (const listener of changeListeners) listener();
    },
    signatureListeners: new Set(),
    runtimeSlot: -1,
  };
  const clock = createClockView(core, 0);
  const tip: Chain = {
    ...clock,
    ...createWriteMethods(core, clock.getLatestBlockhash),
    ...createReadMethods(core),
    createLaggingView: (lagSlots) => createLaggingChain(core, tip, lagSlots),
  };
  return {
    ...tip,
    ...createSaveMethods(core, initialState.sequence),
    /** Derives 32 secret bytes, stable for the life of this chain. They seed other parts of the sandbox. */
    deriveSecret: (label: string) => deriveSecret(initialState.clock.seed, label),
    /** Calls the listener whenever there are changes to save. */
    onChange: (listener: () => void) => void changeListeners.push(listener),
  };
}
