import bs58 from "bs58";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import type { ChainAccount } from "./types";

/*
 * Reads and writes the account layouts of the token programs. Source: spl-token state.rs. Token-2022 adds a type byte
 * after the base layout.
 */

const TOKEN_ACCOUNT_BYTES = 165;
export const MINT_BYTES = 82;
const ACCOUNT_TYPE_MINT = 1;
const ACCOUNT_TYPE_ACCOUNT = 2;

interface TokenAccountState {
  mint: string;
  owner: string;
  /** Balance in base units. */
  amount: bigint;
  delegate: string | null;
  delegatedAmount: bigint;
  state: "uninitialized" | "initialized" | "frozen";
  /** Rent-exempt reserve of a wrapped SOL account in lamports. Null for other tokens. */
  nativeReserve: bigint | null;
  closeAuthority: string | null;
}

export interface MintState {
  mintAuthority: string | null;
  supply: bigint;
  decimals: number;
  isInitialized: boolean;
  freezeAuthority: string | null;
}

export function isTokenProgram(owner: string): boolean {
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
}

/** Returns whether an account has a base layout of this size, or the Token-2022 layout with this type byte. */
function hasLayout(account: ChainAccount, baseBytes: number, typeByte: number): boolean {
  if (!isTokenProgram(account.owner)) return false;
  if (account.data.length === baseBytes) return true;
  return (
    account.owner === TOKEN_2022_PROGRAM &&
    account.data.length > TOKEN_ACCOUNT_BYTES &&
    account.data[TOKEN_ACCOUNT_BYTES] === typeByte
  );
}

const readKey = (data: Uint8Array, offset: number) => bs58.encode(data.subarray(offset, offset + 32));
const toDataView = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.length);
const readOptionalKey = (data: Uint8Array, offset: number) =>
  toDataView(data).getUint32(offset, true) === 1 ? readKey(data, offset + 4) : null;

/** Reads a token account. @returns null unless the account is an initialized token account */
export function readTokenAccount(account: ChainAccount | null): TokenAccountState | null {
  if (!account || !hasLayout(account, TOKEN_ACCOUNT_BYTES, ACCOUNT_TYPE_ACCOUNT)) return null;
  const { data } = account;
  const state = (["uninitialized", "initialized", "frozen"] as const)[data[108]!];
  if (state === undefined || state === "uninitialized") return null;
  return {
    mint: readKey(data, 0),
    owner: readKey(data, 32),
    amount: toDataView(data).getBigUint64(64, true),
    delegate: readOptionalKey(data, 72),
    state,
    nativeReserve: toDataView(data).getUint32(109, true) === 1 ? toDataView(data).getBigUint64(113, true) : null,
    delegatedAmount: toDataView(data).getBigUint64(121, true),
    closeAuthority: readOptionalKey(data, 129),
  };
}

/** Reads a mint. @returns null unless the account is an initialized mint */
export function readMint(account: ChainAccount | null): MintState | null {
  if (!account || !hasLayout(account, MINT_BYTES, ACCOUNT_TYPE_MINT)) return null;
  const { data } = account;
  if (data[45] !== 1) return null;
  return {
    mintAuthority: readOptionalKey(data, 0),
    supply: toDataView(data).getBigUint64(36, true),
    decimals: data[44]!,
    isInitialized: true,
    freezeAuthority: readOptionalKey(data, 46),
  };
}

/**
 * Encodes a mint without supply and without freeze authority.
 * @param authority address that may issue tokens, base58; null for a mint that never issues (wrapped SOL)
 */
export function encodeMint(authority: string | null, decimals: number): Uint8Array {
  const data = new Uint8Array(MINT_BYTES);
  if (authority !== null) {
    data[0] = 1;
    data.set(bs58.decode(authority), 4);
  }
  data[44] = decimals;
  data[45] = 1;
  return data;
}

/** Indexes token accounts by owner, so that reading one wallet does not scan every token account. */
export function createTokenIndex() {
  const addressesByOwner = new Map<string, Set<string>>();
  const ownerByAddress = new Map<string, string>();
  return {
    /** Updates the index. Call it for every account that changed. */
    recordAccount(address: string, account: ChainAccount | null): void {
      const owner = readTokenAccount(account)?.owner;
      const previousOwner = ownerByAddress.get(address);
      if (owner === previousOwner) return;
      if (previousOwner !== undefined) {
        const addresses = addressesByOwner.get(previousOwner);
        addresses?.delete(address);
        if (addresses?.size === 0) addressesByOwner.delete(previousOwner);
        ownerByAddress.delete(address);
      }
      if (owner === undefined) return;
      ownerByAddress.set(address, owner);
      const addresses = addressesByOwner.get(owner);
      if (addresses) addresses.add(address);
      else addressesByOwner.set(owner, new Set([address]));
    },
    listByOwner: (owner: string): string[] => [...(addressesByOwner.get(owner) ?? [])],
  };
}
