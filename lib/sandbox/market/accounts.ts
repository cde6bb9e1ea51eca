import { PublicKey } from "@solana/web3.js";
import { u64Bytes } from "../../solana/instructions";

/** Account data of the Token program: `Mint` and `Account` in interface/src/state.rs of github.com/solana-program/token. */

/** Bytes of a token account. */
export const TOKEN_ACCOUNT_BYTES = 165;

/** Bytes of a mint. */
export const MINT_BYTES = 82;

/**
 * A mint with nothing issued yet and nobody to freeze accounts.
 * @param authority who may issue, base58; null for a mint that never will (wrapped SOL)
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

/** The mint and the amount (base units) of a token account. @returns null for data that is none */
export function readTokenAccount(data: Uint8Array): { mint: string; amount: bigint } | null {
  if (data.length < TOKEN_ACCOUNT_BYTES) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { mint: new PublicKey(data.subarray(0, 32)).toBase58(), amount: view.getBigUint64(64, true) };
}
