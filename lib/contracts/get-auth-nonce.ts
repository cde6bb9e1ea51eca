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
    "For wallets with the feature `solana:signIn`. Pass the wallet these fields: `nonce` from this answer; `statement`, the text of GET /api/auth; `version`, 1; `domain` and `uri` of your page; `chainId`, which is `solana:mainnet`, or `solana:localnet` in a sandbox. " +
    "Send the message that the wallet signed, in base64, as x-siws-message, beside x-wallet and x-signature. The service accepts the message until the Expiration Time in it or until `expiresAt`, whichever is earlier. " +
    "For ten minutes after this call, the message can also be used to create API keys. On mainnet, `domain` must be this deployment's host, and `uri` must have its origin. All other wallets sign the text of GET /api/auth.",
  data: z.strictObject({ nonce: z.string(), expiresAt: Timestamp }),
  errors: [],
  exampleAnswer: { nonce: "019a3c5e2b40f1c0d8a9b7e6f5d4c3b2a19080706050", expiresAt: "2026-11-23T04:04:49.335Z" },
});
