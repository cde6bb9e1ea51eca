import bs58 from "bs58";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { decodeAddress, isProgram, isRuntimeAddress } from "./decode-transaction";
import type { Native, NativeAccount } from "./native";
import { MAX_LAG_SLOTS } from "./slot-clock";
import { createTokenIndex } from "./token-accounts";
import { type ChainAccount, refuseParams } from "./types";

/** Maximum size of account data. Source: MAX_PERMITTED_DATA_LENGTH, solana-system-interface. */
export const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
/** Lamports for each byte of an account. Source: mainnet since September 2026 (SIMD-0437). LiteSVM's default is 6,960. */
const LAMPORTS_PER_BYTE = 5_080n;
/** The other members of the rent sysvar, as on mainnet. */
const EXEMPTION_YEARS = 1;
const BURN_PERCENT = 50;
/** Rent epoch of every rent-exempt account. */
const RENT_EXEMPT_EPOCH = 2n ** 64n - 1n;

export type Ledger = ReturnType<typeof createLedger>;

/** Converts a LiteSVM account. Returns null for an account without lamports, which does not exist on a cluster. */
export function toAccount(account: NativeAccount | null): ChainAccount | null {
  if (!account || account.lamports() === 0n) return null;
  return {
    lamports: account.lamports(),
    owner: bs58.encode(account.owner()),
    data: account.data(),
    executable: account.executable(),
  };
}

/** Converts an account with its address. Returns an empty list for an account that does not exist. */
function toAddressedAccount(entry: { address: Uint8Array; account(): NativeAccount }) {
  const account = toAccount(entry.account());
  return account ? [{ address: bs58.encode(entry.address), account }] : [];
}

const EMPTY_ACCOUNT = { lamports: 0n, owner: SYSTEM_PROGRAM, data: new Uint8Array() };

/** Opens the runtime with its programs. */
function openRuntime(native: Native) {
  const svm = new native.LiteSvm();
  // The chain checks blockhashes and duplicates. LiteSVM knows only the latest blockhash.
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  svm.withNativeMints();
  return svm;
}

/** Wraps the runtime's accounts and tracks which ones have changed. @param storedAccounts accounts by address */
export function createLedger(native: Native, storedAccounts: Iterable<readonly [string, ChainAccount]>) {
  const svm = openRuntime(native);
  const setRent = (lamportsPerByte: bigint) =>
    svm.setRent(new native.Rent(lamportsPerByte, EXEMPTION_YEARS, BURN_PERCENT));
  setRent(LAMPORTS_PER_BYTE);
  const tokens = createTokenIndex();
  /** The addresses of all accounts that differ from a new chain's. */
  const addresses = new Set<string>();
  const changedAddresses = new Set<string>();

  const readAccount = (address: string) => toAccount(svm.getAccount(decodeAddress(address)));
  const programs = createProgramCache(readAccount);
  const getAccount = (address: string) => (isProgram(address) ? programs.getAccount(address) : readAccount(address));
  /** Marks an account as possibly changed. Call it for every address that a transaction may have written. */
  const markChanged = (address: string): void => {
    if (isRuntimeAddress(address)) return;
    const account = getAccount(address);
    if (account) addresses.add(address);
    else addresses.delete(address);
    changedAddresses.add(address);
    tokens.recordAccount(address, account);
  };
  const writeAccount = (address: string, { lamports, owner, data }: Omit<ChainAccount, "executable">) => {
    const account = new native.Account(lamports, Uint8Array.from(data), decodeAddress(owner), false, RENT_EXEMPT_EPOCH);
    svm.setAccount(decodeAddress(address), account);
  };
  const replaceAccount = (address: string, account: ChainAccount | null) =>
    writeAccount(address, account ?? EMPTY_ACCOUNT);
  const setAccount = (address: string, { lamports, owner, data }: Omit<ChainAccount, "executable">): void => {
    if (isRuntimeAddress(address)) refuseParams(`${address} belongs to the runtime`);
    if (lamports < 0n || lamports >= 2n ** 64n) refuseParams("lamports do not fit in 64 bits");
    if (data.length > MAX_ACCOUNT_BYTES) refuseParams("account data is larger than 10 MiB");
    writeAccount(address, { lamports, owner, data });
    markChanged(address);
  };
  for (const [address, account] of storedAccounts) setAccount(address, account);
  changedAddresses.clear();
  return {
    svm,
    tokens,
    pastAccounts: createPastAccounts({ getAccount, setAccount: replaceAccount }),
    getAccount,
    setAccount,
    setRent,
    readProgramBytes: programs.readBytes,
    /** Writes an account for one run, without recording a change. Null deletes it. The caller restores it. */
    replaceAccount,
    markChanged,
    /** Lists the existing accounts that a program owns. */
    listProgramAccounts: (programId: string) =>
      svm.getProgramAccounts(decodeAddress(programId)).flatMap(toAddressedAccount),
    /** Returns the lamports of every account that differs from a new chain's. */
    sumLamports: (): bigint => [...addresses].reduce((sum, address) => sum + (getAccount(address)?.lamports ?? 0n), 0n),
    /** Returns the accounts changed since the last call, by address. Null for a deleted account, or a program. */
    takeChanges(): Map<string, ChainAccount | null> {
      const changes = new Map<string, ChainAccount | null>();
      for (const address of changedAddresses) {
        const account = getAccount(address);
        changes.set(address, account?.executable ? null : account);
      }
      changedAddresses.clear();
      return changes;
    },
  };
}

/** Caches the programs. They never change, and a program's bytes take long to copy. */
function createProgramCache(readAccount: (address: string) => ChainAccount | null) {
  const accounts = new Map<string, ChainAccount | null>();
  const codeBytes = new Map<string, number>();
  return {
    getAccount(address: string): ChainAccount | null {
      if (!accounts.has(address)) accounts.set(address, readAccount(address));
      return accounts.get(address)!;
    },
    /** Returns the size of the account with the code of an upgradeable program. The program's account names it. */
    readBytes(program: ChainAccount): number {
      const address = bs58.encode(program.data.subarray(4, 36));
      const bytes = codeBytes.get(address) ?? readAccount(address)?.data.length ?? 0;
      codeBytes.set(address, bytes);
      return bytes;
    },
  };
}

/** Keeps earlier states of accounts for lagging views. @param present reads and writes the newest state */
function createPastAccounts(present: {
  getAccount: (address: string) => ChainAccount | null;
  setAccount: (address: string, account: ChainAccount | null) => void;
}) {
  /** The state of an account before each change, oldest first. */
  let changes: { address: string; accountBefore: ChainAccount | null; slot: number }[] = [];
  const listChangesAfter = (slot: number) => changes.filter((change) => change.slot > slot);

  return {
    /** Records the state of an account before a transaction of this slot. */
    recordAccount(address: string, accountBefore: ChainAccount | null, slot: number): void {
      // Prune at twice the lag, so that most calls filter nothing.
      if (changes[0] && changes[0].slot < slot - 2 * MAX_LAG_SLOTS) changes = listChangesAfter(slot - MAX_LAG_SLOTS);
      changes.push({ address, accountBefore, slot });
    },
    /** Returns the account at the end of a slot; null when it did not exist then. */
    findAt(address: string, slot: number): ChainAccount | null {
      const nextChange = changes.find((change) => change.address === address && change.slot > slot);
      return nextChange ? nextChange.accountBefore : present.getAccount(address);
    },
    /** Runs a function with the accounts as they were at the end of a slot. */
    runAtSlot<Value>(slot: number, run: () => Value): Value {
      const pastAccounts = new Map<string, ChainAccount | null>();
      for (const { address, accountBefore } of listChangesAfter(slot))
        if (!pastAccounts.has(address)) pastAccounts.set(address, accountBefore);
      const presentAccounts = [...pastAccounts.keys()].map(
        (address) => [address, present.getAccount(address)] as const,
      );
      for (const [address, account] of pastAccounts) present.setAccount(address, account);
      try {
        return run();
      } finally {
        for (const [address, account] of presentAccounts) present.setAccount(address, account);
      }
    },
  };
}
