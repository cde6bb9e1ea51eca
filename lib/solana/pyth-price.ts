import { toHex } from "./bytes";
import { toDataView } from "./instructions";

/**
 * Reads price accounts of Pyth's receiver program. The layout is `PriceUpdateV2` in borsh, after an 8-byte
 * discriminator. Source: target_chains/solana/pyth_solana_receiver_sdk/src/price_update.rs in
 * pyth-network/pyth-crosschain.
 */

export const PYTH_RECEIVER_PROGRAM = "rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ";
/** Owns one account per feed and updates each about once a minute. */
export const PYTH_PUSH_ORACLE_PROGRAM = "pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT";

/** First eight bytes of sha256("account:PriceUpdateV2"). */
const DISCRIMINATOR = [34, 241, 35, 99, 157, 126, 244, 205];
/** Offset of the verification level: after the discriminator and the 32 bytes of the write authority. */
const LEVEL_AT = 40;
/** `Full`: two thirds of the guardians signed. `Partial` (0) has a signature count, which shifts the rest by a byte. */
const FULL = 1;
const FEED_AT = LEVEL_AT + 1;
const PRICE_AT = FEED_AT + 32;
/** Minimum size of an account. The fields after it (previous publish time, averages, slot) are not read. */
const MIN_BYTES = 133;

interface PythPrice {
  /** Feed id as hex. */
  feedId: string;
  price: bigint;
  /** Half-width of the confidence interval. */
  confidence: bigint;
  /** The price is price · 10^exponent US dollars. */
  exponent: number;
  /** Seconds since the epoch. */
  publishTime: bigint;
}

/** Reads a fully verified price account. Null for any other bytes. */
export function readPythPrice(data: Uint8Array): PythPrice | null {
  if (data.length < MIN_BYTES || !DISCRIMINATOR.every((byte, i) => data[i] === byte)) return null;
  if (data[LEVEL_AT] !== FULL) return null;
  const view = toDataView(data);
  return {
    feedId: toHex(data.subarray(FEED_AT, PRICE_AT)),
    price: view.getBigInt64(PRICE_AT, true),
    confidence: view.getBigUint64(PRICE_AT + 8, true),
    exponent: view.getInt32(PRICE_AT + 16, true),
    publishTime: view.getBigInt64(PRICE_AT + 20, true),
  };
}
