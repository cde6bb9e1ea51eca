import { z } from "zod";
import { defineContract } from "./define";

export const getDerivationMessageContract = defineContract({
  operation: "get-derivation-message",
  method: "GET",
  path: "/api/wallet/derive",
  auth: "none",
  tag: "Wallets",
  summary: "The text whose signature is the key to the service wallet, and how to derive it",
  data: z.strictObject({
    message: z.string(),
    kdf: z.strictObject({
      name: z.string(),
      ikm: z.string(),
      salt: z.string(),
      info: z.string(),
      length: z.int(),
      output: z.string(),
    }),
  }),
  errors: [],
  cacheControl: "public, max-age=300",
});
