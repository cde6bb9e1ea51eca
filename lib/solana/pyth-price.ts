import { toHex } from "./bytes";
import { toDataView } from "./instructions";

/**
 * Reads price accounts of Pyth's receiver program: `PriceUpdateV2` in borsh, after an 8-byte discriminator. Source:
 * price_update.rs of pyth_solana_receiver_sdk in pyth-network/pyth-crosschain.
 */

/** The owner of every price account. */
export const PYTH_RECEIVER_PROGRAM = "rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ";

/** First eight bytes of sha256("account:PriceUpdateV2"). */
const DISCRIMINATOR = [34, 241, 35, 99, 157, 126, 244, 205];
/** Offset of the verification level: after the discriminator and the 32 bytes of the write authority. */
const VERIFICATION_LEVEL_OFFSET = 40;
/** `Full`: two thirds of the guardians signed. `Partial` (0) has a signature count, so later fields move. */
const FULL_VERIFICATION = 1;
const FEED_ID_OFFSET = VERIFICATION_LEVEL_OFFSET + 1;
const PRICE_OFFSET = FEED_ID_OFFSET + 32;
const CONFIDENCE_OFFSET = PRICE_OFFSET + 8;
const EXPONENT_OFFSET = CONFIDENCE_OFFSET + 8;
const PUBLISH_TIME_OFFSET = EXPONENT_OFFSET + 4;
/** Minimum size of an account. Includes unread fields at its end: previous publish time, averages and slot. */
const MIN_BYTES = 133;

interface PythPrice {
  /** Feed id as hex. */
  feedId: string;
  price: bigint;
  /** Half-width of the confidence interval, in the unit of `price`. */
  confidence: bigint;
  /** The price in US dollars is price · 10^exponent. */
  exponent: number;
  /** Seconds since the epoch. */
  publishTime: bigint;
}

/** Reads a fully verified price account, or returns null. The caller checks that the Pyth receiver program owns it. */
export function readPythPrice(data: Uint8Array): PythPrice | null {
  if (data.length < MIN_BYTES || !DISCRIMINATOR.every((byte, i) => data[i] === byte)) return null;
  if (data[VERIFICATION_LEVEL_OFFSET] !== FULL_VERIFICATION) return null;
  const view = toDataView(data);
  return {
    feedId: toHex(data.subarray(FEED_ID_OFFSET, PRICE_OFFSET)),
    price: view.getBigInt64(PRICE_OFFSET, true),
    confidence: view.getBigUint64(CONFIDENCE_OFFSET, true),
    exponent: view.getInt32(EXPONENT_OFFSET, true),
    publishTime: view.getBigInt64(PUBLISH_TIME_OFFSET, true),
  };
}
