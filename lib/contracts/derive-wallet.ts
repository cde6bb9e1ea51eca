import { z } from "zod";
import { defineContract } from "./define";
import { Address, SignatureBase64, WalletAddress } from "./scalars";

export const deriveWalletContract = defineContract({
  operation: "derive-wallet",
  method: "POST",
  path: "/api/wallet/derive",
  auth: "caller",
  tag: "Wallets",
  summary: "The public key of the service wallet that a signature derives",
  description:
    "`signature` is the owner's over the text that GET on this path returns, never the sign-in signature. " +
    "The owner is `wallet`, else the x-wallet header, else the API key's wallet. Nothing secret is logged, stored or returned.",
  body: z.strictObject({
    signature: SignatureBase64,
    wallet: WalletAddress.optional(),
    index: z.int().min(0).max(255).optional().meta({ description: "One wallet each; default 0" }),
  }),
  data: z.strictObject({ publicKey: Address, wallet: Address, index: z.int(), message: z.string() }),
  errors: ["invalid_address", "wallet_required", "wrong_text_signed", "upstream_unavailable"],
});
