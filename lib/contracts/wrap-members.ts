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
  unsigned: UnsignedTransaction.nullable().meta({ description: "Same as `transaction`" }),
  affordable: z
    .boolean()
    .meta({ description: "True if the payer keeps 0 or at least the rent-exempt minimum afterwards" }),
  breakdown: z.strictObject({
    ...roundUpMembers,
    roundUpLamports: Lamports,
    serviceFeeLamports: Lamports,
    userInvestmentLamports: Lamports,
    activationLamports: Lamports,
    networkFeeLamports: Lamports.meta({
      description: "Largest network fee of `transaction`: the base fee plus the highest priority fee that it allows",
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
