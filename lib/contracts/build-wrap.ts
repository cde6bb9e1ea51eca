import { z } from "zod";
import { defineContract } from "./define";
import { roundUpMembers, roundUpTermsFields } from "./round-up-members";
import { Address, Instruction, Lamports, TxValueUsd, UnsignedTransaction, WalletAddress } from "./scalars";

export const buildWrapContract = defineContract({
  operation: "build-wrap",
  method: "POST",
  path: "/api/wrap",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transfer instructions of one round-up, fee included",
  description:
    "Append `instructions` to your own transaction, or sign `transaction` as it is. A service wallet that is still empty first gets " +
    "the rent-exempt minimum (`activationLamports`): the user's own money in the user's own wallet.",
  body: z.strictObject({
    txValueUsd: TxValueUsd,
    userPubkey: WalletAddress,
    serviceWalletPubkey: WalletAddress,
    ...roundUpTermsFields,
  }),
  data: z.strictObject({
    instructions: z.array(Instruction),
    transaction: UnsignedTransaction.nullable(),
    affordable: z.boolean().meta({ description: "The payer keeps 0 or at least the rent-exempt minimum after it" }),
    breakdown: z.strictObject({
      ...roundUpMembers,
      roundUpLamports: Lamports,
      serviceFeeLamports: Lamports,
      userInvestmentLamports: Lamports,
      activationLamports: Lamports,
      networkFeeLamports: Lamports,
      totalLamports: Lamports,
      feeCollector: Address,
    }),
  }),
  errors: [
    "invalid_address",
    "wallets_equal",
    "wallet_not_allowed",
    "price_stale",
    "upstream_unavailable",
    "upstream_invalid",
    "upstream_timeout",
  ],
  example: {
    txValueUsd: 27.63,
    userPubkey: "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs",
    serviceWalletPubkey: "2dn9kGAgRHTRB4J6Ppgh2PxDKPXTT4fyi3g1UGgHpvGQ",
    plan: "tree",
  },
});
