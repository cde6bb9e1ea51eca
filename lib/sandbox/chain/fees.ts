import type { VersionedMessage } from "@solana/web3.js";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import { LOOKUP_TABLE_PROGRAM, MEMO_PROGRAMS } from "./decode-transaction";
import type { Ledger } from "./ledger";
import type { ChainAccount, FeeModel, TransactionError } from "./types";

/** The flat fee of each signature, lamports. */
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** The fee of a transaction, whatever its number of signatures, lamports. Source: SIMD-0553, "Base Inclusion Fee". */
const INCLUSION_LAMPORTS = 2_500n;
/** Cost units per lamport in each step. Source: SIMD-0553, "Feature Gates". */
const UNITS_PER_LAMPORT = { "resource-10": 10n, "resource-4": 4n, "resource-2": 2n } as const;

/** Compute units charged per instruction of a message that sets no limit. Source: solana-program-runtime, SIMD-0170. */
const DEFAULT_PROGRAM_UNITS = 200_000;
const DEFAULT_BUILTIN_UNITS = 3_000;
const MAX_UNITS = 1_400_000;
/** The limit of loaded account data in a message that sets none, and the highest limit, bytes. */
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** Prices in cost units. Source: block_cost_limits.rs and DEFAULT_HEAP_COST, agave. */
const SIGNATURE_UNITS = 720;
const WRITE_LOCK_UNITS = 300;
const DATA_BYTES_PER_UNIT = 4;
const LOADED_PAGE_BYTES = 32 * 1024;
const LOADED_PAGE_UNITS = 8;

/** Instructions of the compute-budget program, by their first data byte. */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const SET_LOADED_LIMIT = 4;

/** The programs that are charged DEFAULT_PROGRAM_UNITS. The others are built into the runtime. */
const ON_CHAIN_PROGRAMS = new Set([
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  ...MEMO_PROGRAMS,
]);

/** Reads the compute-budget instructions, or the config of a message of version 1. There, what is not set is 0. */
function readRequest(message: VersionedMessage) {
  if (message.version === 1) {
    const { computeUnitLimit, loadedAccountsDataSizeLimit, priorityFee } = message.transactionConfig;
    return {
      unitLimit: Math.min(computeUnitLimit ?? 0, MAX_UNITS),
      loadedBytes: Math.min(loadedAccountsDataSizeLimit ?? 0, MAX_LOADED_BYTES),
      priorityLamports: BigInt(priorityFee ?? 0),
    };
  }
  let priceMicroLamports = 0n;
  let unitLimit: number | null = null;
  let loadedBytes = MAX_LOADED_BYTES;
  let defaultUnits = 0;
  for (const { programIdIndex, data } of message.compiledInstructions) {
    const program = message.staticAccountKeys[programIdIndex]?.toBase58() ?? "";
    defaultUnits += ON_CHAIN_PROGRAMS.has(program) ? DEFAULT_PROGRAM_UNITS : DEFAULT_BUILTIN_UNITS;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) unitLimit = view.getUint32(1, true);
    if (data[0] === SET_UNIT_PRICE && data.length >= 9) priceMicroLamports = view.getBigUint64(1, true);
    if (data[0] === SET_LOADED_LIMIT && data.length >= 5) loadedBytes = view.getUint32(1, true);
  }
  const units = Math.min(unitLimit ?? defaultUnits, MAX_UNITS);
  return {
    unitLimit: units,
    loadedBytes: Math.min(loadedBytes, MAX_LOADED_BYTES),
    priorityLamports: divideUp(priceMicroLamports * BigInt(units), 1_000_000n),
  };
}

const divideUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

/** Returns the number of accounts that a message locks for writing, including those from lookup tables. */
function countWriteLocks({ header, staticAccountKeys, addressTableLookups }: VersionedMessage): number {
  const readonlyCount = header.numReadonlySignedAccounts + header.numReadonlyUnsignedAccounts;
  const loadedCounts = addressTableLookups.map((lookup) => lookup.writableIndexes.length);
  return loadedCounts.reduce((sum, count) => sum + count, staticAccountKeys.length - readonlyCount);
}

/**
 * Returns the cost units that a message asks for, as the scheduler counts them before the run.
 * Source: SIMD-0553, "Resource Fee Calculation", and agave's cost-model/src/cost_model.rs.
 */
function computeCostUnits(message: VersionedMessage, { unitLimit, loadedBytes }: ReturnType<typeof readRequest>) {
  const dataBytes = message.compiledInstructions.reduce((sum, { data }) => sum + data.length, 0);
  return (
    message.header.numRequiredSignatures * SIGNATURE_UNITS +
    countWriteLocks(message) * WRITE_LOCK_UNITS +
    Math.floor(dataBytes / DATA_BYTES_PER_UNIT) +
    unitLimit +
    Math.max(1, Math.ceil(loadedBytes / LOADED_PAGE_BYTES)) * LOADED_PAGE_UNITS
  );
}

/** Returns the fee that a message's payer is charged, lamports. It includes the priority fee, rounded up. */
export function computeFee(message: VersionedMessage, model: FeeModel): bigint {
  const request = readRequest(message);
  if (model === "flat")
    return BigInt(message.header.numRequiredSignatures) * LAMPORTS_PER_SIGNATURE + request.priorityLamports;
  const resourceLamports = divideUp(BigInt(computeCostUnits(message, request)), UNITS_PER_LAMPORT[model]);
  return INCLUSION_LAMPORTS + resourceLamports + request.priorityLamports;
}

/*
 * LiteSVM's Node package always charges the flat fee. To charge another fee, the payer's balance is changed by the
 * difference before the run. The programs then see the balance that they would see on a cluster, and after the run the
 * payer has paid exactly the other fee.
 */

/** The error of a cluster when the fee payer would keep less than the rent-exempt minimum. */
const PAYER_RENT_ERROR: TransactionError = { InsufficientFundsForRent: { account_index: 0 } };

const findMinimum = (ledger: Ledger, account: ChainAccount) =>
  ledger.svm.minimumBalanceForRentExemption(BigInt(account.data.length));

/** Returns whether an account exists with less than the rent-exempt minimum. */
const isBelowMinimum = (ledger: Ledger, account: ChainAccount | null) =>
  account !== null && account.lamports < findMinimum(ledger, account);

/** Returns the balance with which the runtime refuses or charges the payer as a cluster with this fee does. */
function computeStagedLamports(ledger: Ledger, payer: ChainAccount, fee: bigint, flatFee: bigint): bigint {
  const minimum = findMinimum(ledger, payer);
  // Only a nonce account has data and pays fees. It keeps its minimum.
  const payableLamports = payer.lamports - (payer.data.length > 0 ? minimum : 0n);
  if (payableLamports < fee) return payer.lamports - payableLamports + flatFee - 1n;
  const remainingLamports = payer.lamports - fee;
  const leavesDust = remainingLamports > 0n && remainingLamports < minimum && payer.lamports >= minimum;
  return leavesDust ? minimum : remainingLamports + flatFee;
}

/**
 * Prepares the payer of a transaction for its run.
 * @returns functions to call after the run. Null when the runtime itself charges the right fee or refuses the payer
 */
export function stageFee(ledger: Ledger, payerAddress: string, message: VersionedMessage, model: FeeModel) {
  if (model === "flat") return null;
  const payer = ledger.getAccount(payerAddress);
  const flatFee = computeFee(message, "flat");
  const fee = computeFee(message, model);
  if (fee === flatFee || payer === null || payer.owner !== SYSTEM_PROGRAM) return null;
  const stagedLamports = computeStagedLamports(ledger, payer, fee, flatFee);
  ledger.replaceAccount(payerAddress, { ...payer, lamports: stagedLamports });
  return {
    /** Returns whether the runtime has not charged the payer. */
    isUncharged: () => ledger.getAccount(payerAddress)?.lamports === stagedLamports,
    /** Gives the payer its balance back. Call it after a simulation, and when the transaction is not included. */
    restore: () => ledger.replaceAccount(payerAddress, payer),
    /** Takes the fee, and nothing else, from the payer. */
    chargeOnly: () => ledger.replaceAccount(payerAddress, { ...payer, lamports: payer.lamports - fee }),
    /**
     * Returns the error that the runtime misses when it starts with a staged balance below the minimum: the payer was
     * rent-exempt and is not any more. Null when there is none.
     */
    findMissedError: (payerAfter: ChainAccount | null) =>
      isBelowMinimum(ledger, payerAfter) && !isBelowMinimum(ledger, payer) ? PAYER_RENT_ERROR : null,
  };
}
