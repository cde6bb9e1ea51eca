import { z } from "zod";
import type { ErrorCode } from "../errors";
import { roundUpMembers, roundUpTermsFields } from "./round-up-members";
import { Address, Instruction, Lamports, ReferenceInput, UnsignedTransaction, WalletAddress } from "./scalars";

/** Request fields besides the purchase, for a single round-up and for a batch. */
export const wrapFields = {
  userPubkey: WalletAddress,
  serviceWalletPubkey: WalletAddress,
  reference: ReferenceInput,
  ...roundUpTermsFields,
};

/** Members of POST /api/wrap's answer. POST /api/wrap/batch adds its items. */
export const wrapMembers = {
  instructions: z.array(Instruction),
  transaction: UnsignedTransaction.nullable(),
  unsigned: UnsignedTransaction.nullable().meta({ description: "The same as `transaction`" }),
  affordable: z.boolean().meta({ description: "The payer keeps 0 or at least the rent-exempt minimum after it" }),
  breakdown: z.strictObject({
    ...roundUpMembers,
    roundUpLamports: Lamports,
    serviceFeeLamports: Lamports,
    userInvestmentLamports: Lamports,
    activationLamports: Lamports,
    networkFeeLamports: Lamports.meta({
      description: "Of `transaction`: the base fee and the most that its priority fee can be",
    }),
    totalLamports: Lamports,
    feeCollector: Address,
  }),
};

export const WRAP_ERRORS: readonly ErrorCode[] = [
  "invalid_address",
  "wallets_equal",
  "wallet_not_allowed",
  "already_saved",
  "price_stale",
  "service_not_ready",
];
