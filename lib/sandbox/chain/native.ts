import { createRequire } from "node:module";

/* Declares the used part of LiteSVM's native interface, version 1.4.1. Addresses are 32 bytes, and amounts lamports. */

export interface NativeAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
  executable(): boolean;
}

interface NativeInnerInstruction {
  instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
  stackHeight(): number;
}

export interface NativeMetadata {
  logs(): string[];
  innerInstructions(): NativeInnerInstruction[][];
  computeUnitsConsumed(): bigint;
  returnData(): { programId(): Uint8Array; data(): Uint8Array };
}

export interface NativeFailure {
  err(): unknown;
  meta(): NativeMetadata;
}

interface NativeSimulation {
  meta(): NativeMetadata;
  postAccounts(): { address: Uint8Array; account(): NativeAccount }[];
}

interface NativeSvm {
  getAccount(address: Uint8Array): NativeAccount | null;
  getProgramAccounts(programId: Uint8Array): { address: Uint8Array; account(): NativeAccount }[];
  setAccount(address: Uint8Array, account: NativeAccount): void;
  minimumBalanceForRentExemption(bytes: bigint): bigint;
  sendVersionedTransaction(wireBytes: Uint8Array): NativeMetadata | NativeFailure;
  simulateVersionedTransaction(wireBytes: Uint8Array): NativeSimulation | NativeFailure;
  setSigverify(isEnabled: boolean): void;
  setBlockhashCheck(isEnabled: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  setClock(clock: unknown): void;
  setRent(rent: unknown): void;
  setSlotHashes(hashes: { slot: bigint; hash: string }[]): void;
  withNativeMints(): void;
}

export interface Native {
  LiteSvm: new () => NativeSvm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => NativeAccount;
  Clock: new (
    slot: bigint,
    epochStart: bigint,
    epoch: bigint,
    leaderScheduleEpoch: bigint,
    unixSeconds: bigint,
  ) => unknown;
  Rent: new (lamportsPerByte: bigint, exemptionYears: number, burnPercent: number) => unknown;
  FailedTransactionMetadata: new () => NativeFailure;
}

let packageNameOfMachine: string | undefined;

/** Returns the name of the npm package with the native library for this machine, such as litesvm-linux-x64-gnu. */
function getNativePackageName(): string {
  packageNameOfMachine ??= `litesvm-${process.platform}-${process.arch}${findLibcSuffix()}`;
  return packageNameOfMachine;
}

/** Reads Node's report of its process, which takes several milliseconds. */
function findLibcSuffix(): string {
  if (process.platform !== "linux") return "";
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime ? "-gnu" : "-musl";
}

/**
 * Loads the Solana runtime. Resolves the optional package at run time, so that builds succeed without it.
 * @throws {Error} with instructions when the package is missing or does not load
 */
export function loadNative(packageName = getNativePackageName()): Native {
  try {
    return createRequire(import.meta.url)(packageName) as Native;
  } catch (cause) {
    throw new Error(
      `The sandbox needs the optional package ${packageName}, which is not installed or does not load here. ` +
        "Run `npm install --include=optional` on Linux or macOS (x64 or arm64), or set NETWORK=mainnet and SOLANA_RPC_URL.",
      { cause },
    );
  }
}
