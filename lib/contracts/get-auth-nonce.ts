import { z } from "zod";
import { defineContract } from "./define";
import { Timestamp } from "./scalars";

export const getAuthNonceContract = defineContract({
  operation: "get-auth-nonce",
  method: "GET",
  path: "/api/auth/nonce",
  auth: "none",
  tag: "Public",
  summary: "Get a nonce for Sign In With Solana",
  description:
    "For wallets with the feature `solana:signIn`. Pass the wallet this nonce, the text of GET /api/auth as `statement`, version 1, your page's domain and URI, and the chain: `solana:mainnet`, or `solana:localnet` in a sandbox. " +
    "Send the message that the wallet signed, in base64, as x-siws-message, beside x-wallet and x-signature. The service accepts it until its own Expiration Time or until `expiresAt`, whichever comes first. " +
    "Within ten minutes of the nonce it can also create API keys. On mainnet, domain and URI must be this deployment's origin. All other wallets sign the text of GET /api/auth.",
  data: z.strictObject({ nonce: z.string(), expiresAt: Timestamp }),
  errors: [],
  exampleAnswer: { nonce: "019a3c5e2b40f1c0d8a9b7e6f5d4c3b2a19080706050", expiresAt: "2026-11-23T04:04:49.335Z" },
});
