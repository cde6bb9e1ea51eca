import { createHash, randomBytes } from "node:crypto";
import bs58 from "bs58";
import { type Core, sendTransaction, syncRuntime } from "./core";
import { decodeAddress, isRuntimeAddress } from "./decode-transaction";
import { createFaucet, MAX_AIRDROP_LAMPORTS } from "./faucet";
import { computeFee } from "./fees";
import { createTransactionHistory, type StoredRecord } from "./history";
import { createLedger } from "./ledger";
import { loadNative } from "./native";
import { addPastPayments } from "./past-payments";
import { createSlotClock, type SlotClockState } from "./slot-clock";
import { type Chain, type ChainAccount, type FeeModel, refuseParams } from "./types";
import { createClockView, createLaggingChain } from "./views";

/** The stored members of a chain that are neither accounts nor transactions. */
export interface ChainHead {
  clock: SlotClockState;
  transactionCount: number;
  airdropCount: number;
}

/** A stored chain. */
export interface ChainState {
  head: ChainHead;
  accounts: Iterable<readonly [address: string, account: ChainAccount]>;
  /** By serial. */
  records: StoredRecord[];
}

export type LocalChain = ReturnType<typeof openChain>;

/** Settings of a running chain. They are not stored, so a restart may change them. */
export interface ChainSettings {
  /** How transactions are charged. Default: `flat`. */
  feeModel?: FeeModel;
  /** Length of a slot, ms. Default: 200. */
  slotMs?: number;
}

interface OpenChainOptions extends ChainSettings {
  /** The stored chain to continue. Without it, a new chain starts. */
  state?: ChainState;
  /** Wall clock, milliseconds since the epoch. */
  now?: () => number;
  /**
   * Called after each change, which must then be stored: until then, no transaction of its slot is confirmed. Without
   * it, the chain is not stored.
   */
  onChange?: () => void;
}

function createState(genesisTime: number): ChainState {
  const clock = { seed: randomBytes(32).toString("hex"), genesisTime, skewSlots: 0, lastSlot: 0 };
  return { head: { clock, transactionCount: 0, airdropCount: 0 }, accounts: [], records: [] };
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

/** Implements the methods with which a store follows the chain. */
function createStoreMethods({ clock, counts, history, ledger, unstored }: Core) {
  return {
    computeMsToSlotEnd: clock.computeMsToSlotEnd,
    hasChanges: () => unstored.waitingSlot !== Number.POSITIVE_INFINITY,
    /** Returns what has changed since the last call. `completeWrite` must follow when it is stored, before a next call. */
    takeChanges() {
      unstored.writingSlot = unstored.waitingSlot;
      unstored.waitingSlot = Number.POSITIVE_INFINITY;
      const head: ChainHead = {
        clock: { ...clock.state },
        transactionCount: counts.transactions,
        airdropCount: counts.airdrops,
      };
      return { head, accounts: ledger.takeChanges(), ...history.takeChanges() };
    },
    /** Lets the transactions of the last `takeChanges` be confirmed. */
    completeWrite() {
      unstored.writingSlot = Number.POSITIVE_INFINITY;
    },
  };
}

/**
 * Opens a chain: the real Solana runtime (LiteSVM), with slots, expiring blockhashes and history added here.
 * @throws {Error} with instructions when the native package is missing
 */
export function openChain({ state, now = Date.now, feeModel = "flat", slotMs, onChange }: OpenChainOptions = {}) {
  const native = loadNative();
  const { head, accounts, records } = state ?? createState(now());
  const core: Core = {
    native,
    ledger: createLedger(native, accounts),
    clock: createSlotClock(head.clock, now, slotMs),
    history: createTransactionHistory(records),
    counts: { transactions: head.transactionCount, airdrops: head.airdropCount },
    feeModel,
    now,
    recordChange() {
      if (!onChange) return;
      core.unstored.waitingSlot = Math.min(core.unstored.waitingSlot, core.clock.getSlot());
      onChange();
    },
    unstored: { waitingSlot: Number.POSITIVE_INFINITY, writingSlot: Number.POSITIVE_INFINITY },
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
    ...createStoreMethods(core),
    /** Derives 32 secret bytes, stable for the life of this chain. They seed other parts of the sandbox. */
    deriveSecret: (label: string) => deriveSecret(head.clock.seed, label),
  };
}
