import { PublicKey } from "@solana/web3.js";
import { u64Bytes } from "../../solana/instructions";

/** Encodes account data of the Token program. Source: `Mint` and `Account` in github.com/solana-program/token. */

/** Size of a token account in bytes. */
export const TOKEN_ACCOUNT_BYTES = 165;

/** Size of a mint in bytes. */
export const MINT_BYTES = 82;

/**
 * Encodes a mint without supply and without freeze authority.
 * @param authority address that may issue tokens, base58; null for a mint that never issues (wrapped SOL)
 */
export function encodeMint(authority: string | null, decimals: number): Uint8Array {
  const data = new Uint8Array(MINT_BYTES);
  if (authority !== null) {
    data[0] = 1;
    data.set(new PublicKey(authority).toBytes(), 4);
  }
  data.set(u64Bytes(0n), 36);
  data[44] = decimals;
  data[45] = 1;
  return data;
}

/** Reads the mint and the amount (base units) of a token account. @returns null for other data */
export function readTokenAccount(data: Uint8Array): { mint: string; amount: bigint } | null {
  if (data.length < TOKEN_ACCOUNT_BYTES) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { mint: new PublicKey(data.subarray(0, 32)).toBase58(), amount: view.getBigUint64(64, true) };
}
