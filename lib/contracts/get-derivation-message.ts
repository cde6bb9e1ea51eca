import { z } from "zod";
import { SERVICE_WALLET_KDF } from "../domain/service-wallet";
import { createLinkText, createServiceWalletText, SANDBOX_DEPLOYMENT } from "../domain/signed-texts";
import { defineContract } from "./define";

export const getDerivationMessageContract = defineContract({
  operation: "get-derivation-message",
  method: "GET",
  path: "/api/wallet/derive",
  auth: "none",
  tag: "Wallets",
  summary: "Get the text that derives a savings wallet, and how to derive it",
  description:
    "The savings wallet's key is derived from the signature over `message`. Sign it only to derive the key locally, and " +
    "never send or store it. `kdf` names the function and its constants.",
  data: z.strictObject({
    message: z.string().describe("The owner signs this text. The signature is key material"),
    link: z
      .string()
      .describe("The savings wallet signs this text to register, with `{owner}` and `{publicKey}` filled in"),
    kdf: z.strictObject({
      name: z.string(),
      ikm: z.string(),
      salt: z.string(),
      info: z.string(),
      offchainInfo: z.string().describe("`info` for a signature over an off-chain message"),
      length: z.int(),
      output: z.string(),
    }),
  }),
  isFixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  exampleAnswer: {
    message: createServiceWalletText(SANDBOX_DEPLOYMENT),
    link: createLinkText(SANDBOX_DEPLOYMENT),
    kdf: SERVICE_WALLET_KDF,
  },
});
