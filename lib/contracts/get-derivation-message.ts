import { z } from "zod";
import { SERVICE_WALLET_KDF } from "../domain/service-wallet";
import { linkText, SANDBOX_DEPLOYMENT, serviceWalletText } from "../domain/texts";
import { defineContract } from "./define";

export const getDerivationMessageContract = defineContract({
  operation: "get-derivation-message",
  method: "GET",
  path: "/api/wallet/derive",
  auth: "none",
  tag: "Wallets",
  summary: "The text whose signature is the key to the service wallet, and how to derive it",
  description:
    "Sign `message` only to derive the key locally: whoever has that signature has the service wallet. `kdf` names the function and its constants.",
  data: z.strictObject({
    message: z.string().meta({ description: "The owner signs it; that signature is key material" }),
    link: z.string().meta({
      description: "The service wallet signs it with `{owner}` and `{publicKey}` filled in, to be made known",
    }),
    kdf: z.strictObject({
      name: z.string(),
      ikm: z.string(),
      salt: z.string(),
      info: z.string(),
      length: z.int(),
      output: z.string(),
    }),
  }),
  fixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  exampleAnswer: {
    message: serviceWalletText(SANDBOX_DEPLOYMENT),
    link: linkText(SANDBOX_DEPLOYMENT),
    kdf: SERVICE_WALLET_KDF,
  },
});
