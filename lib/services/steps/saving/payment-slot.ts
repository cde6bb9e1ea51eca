import bs58 from "bs58";
import { findPuller, type TransactionFigures } from "../../../domain/activity";
import type { Deps } from "../../../ports/deps";
import { toHex } from "../../../solana/bytes";
import type { SavedMark } from "../../records/claim-records";
import { createLagError, readCaughtUpStates } from "../relay/outcomes";

export type PaymentPosition = Pick<SavedMark, "value" | "slot">;

const toOrderedText = ({ value }: PaymentPosition) => toHex(bs58.decodeUnsafe(value) ?? new Uint8Array());

/** Returns whether `payment` comes after `otherPayment` in payment order: by slot, then by the bytes of the signature. */
export const isLaterPayment = (payment: PaymentPosition, otherPayment: PaymentPosition): boolean =>
  payment.slot === otherPayment.slot
    ? toOrderedText(payment) > toOrderedText(otherPayment)
    : payment.slot > otherPayment.slot;

/** Returns whether the wallet may have paid in a transaction: it signed, or a delegate pulled dollars from it. */
const mayBePayment = (figures: TransactionFigures, wallet: string) =>
  figures.signers.includes(wallet) || findPuller(figures, wallet) !== null;

/**
 * Reads the slot of a confirmed transaction in which the wallet may have paid.
 * @param newestSlot the newest slot seen so far
 * @returns null if a node that has caught up knows no such transaction, or if it is no payment of the wallet
 * @throws AppError upstream_unavailable while the nodes lag
 */
export async function readPaymentSlot(
  deps: Deps,
  wallet: string,
  signature: string,
  newestSlot: number,
): Promise<number | null> {
  const figures = await deps.rpc.readTransaction(signature);
  if (figures === "unsupported" || (figures && !mayBePayment(figures, wallet))) return null;
  if (figures?.slot !== undefined) return figures.slot;
  const [state] = await readCaughtUpStates(deps, [signature], newestSlot);
  if (!figures && !state) return null;
  if (figures && state && state.confirmation !== "processed") return state.slot;
  throw createLagError();
}
