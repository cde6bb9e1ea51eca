import type { VersionedMessage } from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { computeFee } from "./fees";
import type { Ledger } from "./ledger";
import type { ChainAccount, FeeModel, TransactionError } from "./types";

/*
 * LiteSVM's Node package always charges the flat fee. To charge another fee, the payer's balance is changed by the
 * difference before the run. The programs then see the balance that they would see on a cluster, and after the run the
 * payer has paid exactly the other fee.
 */

/** The error of a cluster when the fee payer would keep less than the rent-exempt minimum. */
const PAYER_RENT_ERROR: TransactionError = { InsufficientFundsForRent: { account_index: 0 } };

const findMinimum = (ledger: Ledger, account: ChainAccount) =>
  ledger.svm.minimumBalanceForRentExemption(BigInt(account.data.length));

/** Returns whether an account exists with less than the rent-exempt minimum. */
const isBelowMinimum = (ledger: Ledger, account: ChainAccount | null) =>
  account !== null && account.lamports < findMinimum(ledger, account);

/** Returns the balance with which the runtime refuses or charges the payer as a cluster with this fee does. */
function computeStagedLamports(ledger: Ledger, payer: ChainAccount, fee: bigint, flatFee: bigint): bigint {
  const minimum = findMinimum(ledger, payer);
  // Only a nonce account has data and pays fees. It keeps its minimum.
  const payableLamports = payer.lamports - (payer.data.length > 0 ? minimum : 0n);
  if (payableLamports < fee) return payer.lamports - payableLamports + flatFee - 1n;
  const remainingLamports = payer.lamports - fee;
  const leavesDust = remainingLamports > 0n && remainingLamports < minimum && payer.lamports >= minimum;
  return leavesDust ? minimum : remainingLamports + flatFee;
}

/**
 * Prepares the payer of a transaction for its run.
 * @returns functions to call after the run. Null when the runtime itself charges the right fee or refuses the payer
 */
export function stageFee(ledger: Ledger, payerAddress: string, message: VersionedMessage, model: FeeModel) {
  if (model === "flat") return null;
  const payer = ledger.getAccount(payerAddress);
  const flatFee = computeFee(message, "flat");
  const fee = computeFee(message, model);
  if (fee === flatFee || payer === null || payer.owner !== SYSTEM_PROGRAM) return null;
  const stagedLamports = computeStagedLamports(ledger, payer, fee, flatFee);
  ledger.replaceAccount(payerAddress, { ...payer, lamports: stagedLamports });
  return {
    /** Returns whether the runtime has not charged the payer. */
    isUncharged: () => ledger.getAccount(payerAddress)?.lamports === stagedLamports,
    /** Gives the payer its balance back. Call it after a simulation, and when the transaction is not included. */
    restore: () => ledger.replaceAccount(payerAddress, payer),
    /** Takes the fee, and nothing else, from the payer. */
    chargeOnly: () => ledger.replaceAccount(payerAddress, { ...payer, lamports: payer.lamports - fee }),
    /**
     * Returns the error that the runtime misses when it starts with a staged balance below the minimum: the payer was
     * rent-exempt and is not any more. Null when there is none.
     */
    findMissedError: (payerAfter: ChainAccount | null) =>
      isBelowMinimum(ledger, payerAfter) && !isBelowMinimum(ledger, payer) ? PAYER_RENT_ERROR : null,
  };
}
