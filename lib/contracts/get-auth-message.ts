import { z } from "zod";
import { createAuthText, SANDBOX_DEPLOYMENT } from "../domain/signed-texts";
import { defineContract } from "./define";

export const createAuthMessage = (deployment: string) => ({
  message: createAuthText(deployment),
  instructions:
    "Sign the UTF-8 bytes of `message` with your wallet (Ed25519). Send these two headers with every protected request. " +
    "A wallet that signs only off-chain messages signs `message` as one, and x-signature-form names its version.",
  headers: { "x-wallet": "<wallet public key, base58>", "x-signature": "<signature, base64>" },
});

export const getAuthMessageContract = defineContract({
  operation: "get-auth-message",
  method: "GET",
  path: "/api/auth",
  auth: "none",
  tag: "Public",
  summary: "Get the text that a wallet signs to call protected endpoints",
  description: "The text is fixed. Sign it once, and send the two headers of the answer with each call.",
  data: z.strictObject({
    message: z.string(),
    instructions: z.string(),
    headers: z.strictObject({ "x-wallet": z.string(), "x-signature": z.string() }),
  }),
  isFixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  exampleAnswer: createAuthMessage(SANDBOX_DEPLOYMENT),
});
