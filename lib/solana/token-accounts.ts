import bs58 from "bs58";
import { toDataView } from "./instructions";

/**
 * Reads token accounts and mints of both token programs. Extensions are type-length-value entries after the 165 base
 * bytes and one type byte.
 * Source: `Account` and `Mint` in spl-token's state.rs, and `ExtensionType` in Token-2022's extension/mod.rs.
 */

/** Bytes of an SPL token account without extensions. Source: spl-token `Account::LEN`. */
export const TOKEN_ACCOUNT_BYTES = 165;
const ENTRIES_OFFSET = TOKEN_ACCOUNT_BYTES + 1;

const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_FEE_AMOUNT = 2;
const CONFIDENTIAL_TRANSFER_ACCOUNT = 5;
const DEFAULT_ACCOUNT_STATE = 6;
const MEMO_TRANSFER = 8;
const NON_TRANSFERABLE = 9;
const TRANSFER_HOOK = 14;
const PAUSABLE = 26;

const AMOUNT_OFFSET = 64;
const STATE_OFFSET = 108;
/** Offsets of optional members. Each is a u32, which is 1 when the value that follows is present. */
const DELEGATE_OFFSET = 72;
const NATIVE_OFFSET = 109;
const DELEGATED_AMOUNT_OFFSET = 121;
const CLOSE_AUTHORITY_OFFSET = 129;
/** States of a token account. */
const INITIALIZED = 1;
const FROZEN = 2;

export interface TokenAccountState {
  owner: string;
  /** Base units. */
  amount: bigint;
  isFrozen: boolean;
  /** True for wrapped SOL. Closing the account unwraps it. */
  isNative: boolean;
  /** True when the owner may close the account once it is empty, or at any time if it is wrapped SOL. */
  isClosable: boolean;
  /** True when the account accepts transfers only with a memo. */
  requiresMemo: boolean;
}

/** Reads a token account. Returns null when the data is too short. */
export function readTokenAccount(data: Uint8Array): TokenAccountState | null {
  const owner = readTokenOwner(data);
  if (owner === null) return null;
  const view = toDataView(data);
  const hasCloseAuthority = view.getUint32(CLOSE_AUTHORITY_OFFSET, true) === 1;
  const closeAuthority = hasCloseAuthority ? bs58.encode(data.subarray(CLOSE_AUTHORITY_OFFSET + 4, 165)) : owner;
  const extensions = readExtensions(data);
  const withheldFees = extensions.get(TRANSFER_FEE_AMOUNT);
  const hasWithheldFees = withheldFees?.some((byte) => byte !== 0) ?? false;
  return {
    owner,
    amount: view.getBigUint64(AMOUNT_OFFSET, true),
    isFrozen: data[STATE_OFFSET] === FROZEN,
    isNative: view.getUint32(NATIVE_OFFSET, true) === 1,
    isClosable: closeAuthority === owner && !hasWithheldFees && !extensions.has(CONFIDENTIAL_TRANSFER_ACCOUNT),
    requiresMemo: extensions.get(MEMO_TRANSFER)?.[0] === 1,
  };
}

/** Returns the wallet that owns a token account, base58. Returns null for fewer than 165 bytes. */
export function readTokenOwner(data: Uint8Array): string | null {
  return data.length < TOKEN_ACCOUNT_BYTES ? null : bs58.encode(data.subarray(32, 64));
}

export function readTokenMint(data: Uint8Array): string | null {
  return data.length < TOKEN_ACCOUNT_BYTES ? null : bs58.encode(data.subarray(0, 32));
}

/** Returns the delegate of a token account and how much it may still move, base units. Null if there is none. */
export function readDelegate(data: Uint8Array): { delegate: string; amount: bigint } | null {
  if (data.length < TOKEN_ACCOUNT_BYTES) return null;
  const view = toDataView(data);
  if (view.getUint32(DELEGATE_OFFSET, true) !== 1) return null;
  const delegate = bs58.encode(data.subarray(DELEGATE_OFFSET + 4, STATE_OFFSET));
  return { delegate, amount: view.getBigUint64(DELEGATED_AMOUNT_OFFSET, true) };
}

/** Changes whenever a delegate moves tokens out of the account. Empty for fewer than 165 bytes. */
export function describeAllowance(data: Uint8Array): string {
  if (data.length < TOKEN_ACCOUNT_BYTES) return "";
  const { delegate, amount } = readDelegate(data) ?? { delegate: "none", amount: 0n };
  return [readTokenAmount(data), delegate, amount].join(" ");
}

/** Returns a token account's amount in base units. @throws {RangeError} for fewer than 72 bytes */
export function readTokenAmount(data: Uint8Array): bigint {
  return toDataView(data).getBigUint64(AMOUNT_OFFSET, true);
}

/** Builds the data of an initialized, empty token account without a delegate or close authority. */
export function buildTokenAccountData(mint: string, owner: string): Uint8Array {
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  data.set(bs58.decode(mint), 0);
  data.set(bs58.decode(owner), 32);
  data[STATE_OFFSET] = INITIALIZED;
  return data;
}

/**
 * Compares mint, owner, delegate, state and close authority, not extensions. False when one has fewer than 165 bytes.
 */
export function isEqualExceptAmount(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length < TOKEN_ACCOUNT_BYTES || right.length < TOKEN_ACCOUNT_BYTES) return false;
  for (let offset = 0; offset < TOKEN_ACCOUNT_BYTES; offset++) {
    const isInAmount = offset >= AMOUNT_OFFSET && offset < AMOUNT_OFFSET + 8;
    if (!isInAmount && left[offset] !== right[offset]) return false;
  }
  return true;
}

export interface MintRules {
  /** The reason why a plain instruction cannot transfer the token. Null when it can. */
  fault: string | null;
  hasFrozenNewAccounts: boolean;
  /** Data bytes of an associated token account for this mint. */
  accountBytes: number;
}

/** Rules of every mint of the original Token program, which has no extensions. */
export const PLAIN_MINT: MintRules = { fault: null, hasFrozenNewAccounts: false, accountBytes: TOKEN_ACCOUNT_BYTES };

/** With the 4-byte header. Source: `get_required_init_account_extensions`, by mint extension. */
const ACCOUNT_EXTENSION_BYTES: Record<number, number> = {
  [TRANSFER_FEE_CONFIG]: 4 + 8,
  [NON_TRANSFERABLE]: 4,
  [TRANSFER_HOOK]: 4 + 1,
  [PAUSABLE]: 4,
};
/** Size of ImmutableOwner, which every Token-2022 associated token account has. */
const IMMUTABLE_OWNER_BYTES = 4;
/** Size of a multisig. The program adds 2 bytes to a token account of exactly this size, to tell it from a multisig. */
const MULTISIG_BYTES = 355;

const MINT_BYTES = 82;

/** Data bytes of the largest associated token account that any mint requires. */
export const LARGEST_TOKEN_ACCOUNT_BYTES = Object.values(ACCOUNT_EXTENSION_BYTES).reduce(
  (sum, bytes) => sum + bytes,
  ENTRIES_OFFSET + IMMUTABLE_OWNER_BYTES,
);

/** Reads the rules of a Token-2022 mint. Data that is too short yields a `fault`. */
export function readMintRules(data: Uint8Array): MintRules {
  if (data.length < MINT_BYTES) return { ...PLAIN_MINT, fault: "Its mint could not be read." };
  const extensions = readExtensions(data);
  let accountBytes = ENTRIES_OFFSET + IMMUTABLE_OWNER_BYTES;
  for (const type of extensions.keys()) accountBytes += ACCOUNT_EXTENSION_BYTES[type] ?? 0;
  if (accountBytes === MULTISIG_BYTES) accountBytes += 2;
  return {
    fault: findTransferFault(extensions),
    hasFrozenNewAccounts: extensions.get(DEFAULT_ACCOUNT_STATE)?.[0] === FROZEN,
    accountBytes,
  };
}

function findTransferFault(extensions: Map<number, Uint8Array>): string | null {
  if (extensions.has(NON_TRANSFERABLE)) return "Its issuer made it non-transferable.";
  // Layout: 32 bytes authority, then the hook's program.
  const hook = extensions.get(TRANSFER_HOOK)?.subarray(32, 64);
  if (hook?.some((byte) => byte !== 0)) return "Its transfers need a program of the issuer (a transfer hook).";
  // Layout: 32 bytes authority, then the flag.
  if (extensions.get(PAUSABLE)?.[32] === 1) return "Its issuer has paused transfers.";
  return null;
}

/** Returns extensions by type. Returns none for data of the original program, which ends after the base layout. */
function readExtensions(data: Uint8Array): Map<number, Uint8Array> {
  const extensions = new Map<number, Uint8Array>();
  const view = toDataView(data);
  for (let offset = ENTRIES_OFFSET; offset + 4 <= data.length; ) {
    const [type, length] = [view.getUint16(offset, true), view.getUint16(offset + 2, true)];
    if (type === 0 || offset + 4 + length > data.length) break;
    extensions.set(type, data.subarray(offset + 4, offset + 4 + length));
    offset += 4 + length;
  }
  return extensions;
}
