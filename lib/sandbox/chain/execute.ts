import { AddressLookupTableAccount } from "@solana/web3.js";
import bs58 from "bs58";
import { type DecodedTransaction, isRuntimeAddress, LOOKUP_TABLE_PROGRAM, MEMO_PROGRAMS } from "./decode-transaction";
import { computeFee, stageFee } from "./fees";
import { type Ledger, toAccount } from "./ledger";
import type { Native, NativeFailure, NativeMetadata } from "./native";
import { toTransactionError } from "./runtime-errors";
import { readMint, readTokenAccount } from "./token-accounts";
import type {
  Balances,
  ChainAccount,
  FeeModel,
  InnerInstructions,
  SimulationResult,
  TokenBalance,
  TransactionError,
  TransactionRecord,
} from "./types";

/** Bytes that count for each loaded account and lookup table. Source: SIMD-0186. */
const ACCOUNT_BASE_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;
const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";
/** The runtime writes this sysvar for each transaction. It counts no bytes. */
const INSTRUCTIONS_SYSVAR = "Sysvar1nstructions1111111111111111111111111";

function isFailure<T extends object>(native: Native, result: T | NativeFailure): result is NativeFailure {
  return result instanceof native.FailedTransactionMetadata;
}

function readTableAddresses(ledger: Ledger, table: string): string[] {
  const account = ledger.getAccount(table);
  if (account?.owner !== LOOKUP_TABLE_PROGRAM) return [];
  try {
    return AddressLookupTableAccount.deserialize(account.data).addresses.map((address) => address.toBase58());
  } catch {
    return [];
  }
}

/**
 * Returns account keys in the order of the balances. Omits lookups that cannot be resolved, because the runtime refuses
 * their transaction.
 */
function resolveKeys({ transaction, staticKeys }: DecodedTransaction, ledger: Ledger) {
  const { message } = transaction;
  const loaded: TransactionRecord["loadedAddresses"] = { writable: [], readonly: [] };
  for (const lookup of message.version === 0 ? message.addressTableLookups : []) {
    const addresses = readTableAddresses(ledger, lookup.accountKey.toBase58());
    const pickAddresses = (indexes: number[]) => indexes.flatMap((index) => addresses[index] ?? []);
    loaded.writable.push(...pickAddresses(lookup.writableIndexes));
    loaded.readonly.push(...pickAddresses(lookup.readonlyIndexes));
  }
  const writable = staticKeys.filter((_, index) => message.isAccountWritable(index));
  return {
    all: [...staticKeys, ...loaded.writable, ...loaded.readonly],
    writable: [...writable, ...loaded.writable],
    loaded,
  };
}

function readInnerInstructions(metadata: NativeMetadata): InnerInstructions[] {
  return metadata.innerInstructions().flatMap((group, index) => {
    if (group.length === 0) return [];
    const instructions = group.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: bs58.encode(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
}

function readReturnData(metadata: NativeMetadata): SimulationResult["returnData"] {
  const returnData = metadata.returnData();
  const text = Buffer.from(returnData.data()).toString("base64");
  return text === "" ? null : { programId: bs58.encode(returnData.programId()), data: [text, "base64"] };
}

/** Simulates a transaction without changing state. The result's `err` is null when the transaction would succeed. */
export function simulateOnLedger(
  native: Native,
  ledger: Ledger,
  decoded: DecodedTransaction,
  options: { sigVerify: boolean; accounts: string[] | null; feeModel: FeeModel },
): SimulationResult {
  const payer = decoded.staticKeys[0]!;
  const keys = resolveKeys(decoded, ledger);
  const accountsBefore = keys.all.map((address) => ledger.getAccount(address));
  const stagedFee = stageFee(ledger, payer, decoded.transaction.message, options.feeModel);
  ledger.svm.setSigverify(options.sigVerify);
  let result: ReturnType<typeof ledger.svm.simulateVersionedTransaction>;
  try {
    result = ledger.svm.simulateVersionedTransaction(decoded.wireBytes);
  } finally {
    ledger.svm.setSigverify(true);
    stagedFee?.restore();
  }
  const metadata = result.meta();
  const logs = metadata.logs();
  const changedAccounts = new Map<string, ChainAccount | null>();
  if (!isFailure(native, result)) {
    for (const postAccount of result.postAccounts()) {
      const address = bs58.encode(postAccount.address);
      if (keys.writable.includes(address)) changedAccounts.set(address, toAccount(postAccount.account()));
    }
  }
  const err = isFailure(native, result)
    ? toTransactionError(result.err())
    : (stagedFee?.findMissedError(changedAccounts.get(payer) ?? null) ?? null);
  const findAccount = (address: string) =>
    changedAccounts.has(address) ? changedAccounts.get(address)! : ledger.getAccount(address);
  // Only a transaction that was refused before its run has an error and no logs.
  const isRefused = err !== null && logs.length === 0;
  const fee = isRefused ? null : computeFee(decoded.transaction.message, options.feeModel);
  const accountsAfter = err === null ? keys.all.map(findAccount) : chargePayer(accountsBefore, fee ?? 0n);
  return {
    err,
    logs,
    unitsConsumed: Number(metadata.computeUnitsConsumed()),
    fee,
    balances: isRefused ? null : compareBalances(ledger, accountsBefore, accountsAfter),
    loadedAddresses: keys.loaded,
    loadedAccountsDataSize: computeLoadedBytes(ledger, decoded, keys.all, accountsBefore),
    accounts: options.accounts?.map((address) => (err === null ? findAccount(address) : null)) ?? null,
    innerInstructions: readInnerInstructions(metadata),
    accountKeys: keys.all,
    returnData: readReturnData(metadata),
  };
}

/** Returns the accounts with the fee taken from the first one. An account without lamports does not exist. */
function chargePayer([payer, ...others]: (ChainAccount | null)[], fee: bigint): (ChainAccount | null)[] {
  const remainingLamports = (payer?.lamports ?? 0n) - fee;
  return [payer && remainingLamports > 0n ? { ...payer, lamports: remainingLamports } : null, ...others];
}

/**
 * Returns the bytes that a transaction loads: each account's data and 64 bytes, the data of upgradeable programs, and
 * 8,248 bytes for each lookup table. Source: SIMD-0186.
 */
function computeLoadedBytes(
  ledger: Ledger,
  { transaction }: DecodedTransaction,
  addresses: string[],
  accounts: (ChainAccount | null)[],
): number {
  const countBytes = (account: ChainAccount | null) => (account ? ACCOUNT_BASE_BYTES + account.data.length : 0);
  return accounts.reduce((sum, account, index) => {
    if (addresses[index] === INSTRUCTIONS_SYSVAR) return sum;
    if (!account?.executable || account.owner !== UPGRADEABLE_LOADER) return sum + countBytes(account);
    return sum + countBytes(account) + ledger.readProgramBytes(account) + ACCOUNT_BASE_BYTES;
  }, transaction.message.addressTableLookups.length * LOOKUP_TABLE_BYTES);
}

function compareBalances(
  ledger: Ledger,
  accountsBefore: (ChainAccount | null)[],
  accountsAfter: (ChainAccount | null)[],
): Balances {
  const readLamports = (accounts: (ChainAccount | null)[]) =>
    accounts.map((account) => Number(account?.lamports ?? 0n));
  return {
    preBalances: readLamports(accountsBefore),
    postBalances: readLamports(accountsAfter),
    preTokenBalances: readTokenBalances(ledger, accountsBefore),
    postTokenBalances: readTokenBalances(ledger, accountsAfter),
  };
}

function readTokenBalances(ledger: Ledger, accounts: (ChainAccount | null)[]): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = readTokenAccount(account);
    if (!token || !account) return [];
    const decimals = readMint(ledger.getAccount(token.mint))?.decimals ?? 0;
    const { mint, owner } = token;
    return [{ accountIndex, mint, owner, programId: account.owner, amount: token.amount.toString(), decimals }];
  });
}

/** Formats the memo texts as getSignaturesForAddress does: "[length] text; …". Returns null when there is no memo. */
function formatMemos({ transaction, staticKeys }: DecodedTransaction): string | null {
  const texts = transaction.message.compiledInstructions
    .filter((instruction) => MEMO_PROGRAMS.includes(staticKeys[instruction.programIdIndex]!))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString("utf8")}`);
  return texts.length > 0 ? texts.join("; ") : null;
}

interface RunOptions {
  feeModel: FeeModel;
  slot: number;
  blockTime: number;
  changeSlot?: number;
}

const getLamports = (account: ChainAccount | null) => account?.lamports ?? 0n;
const sumLamports = (accounts: (ChainAccount | null)[]) =>
  accounts.reduce((sum, account) => sum + getLamports(account), 0n);

/**
 * Runs a transaction and commits its effects.
 * @param run.slot slot that the record states
 * @param run.blockTime time that the record states
 * @param run.changeSlot slot in which the accounts change; for a backdated transaction it is later than `run.slot`
 * @returns the transaction's record, or null when it was not included and its payer was not charged
 */
export function executeOnLedger(
  native: Native,
  ledger: Ledger,
  decoded: DecodedTransaction,
  { feeModel, slot, blockTime, changeSlot = slot }: RunOptions,
): TransactionRecord | null {
  const keys = resolveKeys(decoded, ledger);
  const readAccounts = () => keys.all.map((address) => ledger.getAccount(address));
  const accountsBefore = readAccounts();
  const payer = keys.all[0]!;
  const stagedFee = stageFee(ledger, payer, decoded.transaction.message, feeModel);
  const result = ledger.svm.sendVersionedTransaction(decoded.wireBytes);
  let err: TransactionError | null = null;
  if (isFailure(native, result)) {
    err = toTransactionError(result.err());
    // A failed transaction that a cluster includes has paid its fee.
    const isUncharged = stagedFee
      ? stagedFee.isUncharged()
      : getLamports(ledger.getAccount(payer)) === getLamports(accountsBefore[0]!);
    if (isUncharged) {
      stagedFee?.restore();
      return null;
    }
  } else {
    err = stagedFee?.findMissedError(ledger.getAccount(payer)) ?? null;
    if (err !== null) {
      for (const address of keys.writable.filter((candidate) => !isRuntimeAddress(candidate)))
        ledger.replaceAccount(address, accountsBefore[keys.all.indexOf(address)] ?? null);
      stagedFee?.chargeOnly();
    }
  }
  for (const address of keys.writable) {
    ledger.pastAccounts.recordAccount(address, accountsBefore[keys.all.indexOf(address)]!, changeSlot);
    ledger.markChanged(address);
  }
  const accountsAfter = readAccounts();
  const metadata = isFailure(native, result) ? result.meta() : result;
  return {
    signature: decoded.signature,
    raw: Buffer.from(decoded.wireBytes).toString("base64"),
    slot,
    blockTime,
    err,
    fee: Number(sumLamports(accountsBefore) - sumLamports(accountsAfter)),
    unitsConsumed: Number(metadata.computeUnitsConsumed()),
    logs: metadata.logs(),
    innerInstructions: readInnerInstructions(metadata),
    accountKeys: keys.all,
    loadedAddresses: keys.loaded,
    ...compareBalances(ledger, accountsBefore, accountsAfter),
    returnData: readReturnData(metadata),
    memo: formatMemos(decoded),
  };
}
