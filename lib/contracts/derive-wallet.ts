import { z } from "zod";
import { createServiceWalletText, SANDBOX_DEPLOYMENT } from "../domain/texts";
import { defineContract } from "./define";
import { EXAMPLE_GAP, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, SignatureBase64, WalletAddress } from "./scalars";

export const deriveWalletContract = defineContract({
  operation: "derive-wallet",
  method: "POST",
  path: "/api/wallet/derive",
  auth: "caller",
  tag: "Wallets",
  summary: "Register a service wallet, by a proof of its key or by the signature that derives it",
  description:
    "The better way is to derive the key yourself. Send its `publicKey` with `proof`: the service wallet's " +
    "signature over the text `link` of GET on this path, with `{owner}` and `{publicKey}` filled in. The owner is " +
    "the caller, and the derivation signature stays with you. A static key names the owner as `wallet`. Its " +
    "answer says `ownerProven:false`, because the proof shows possession of the service wallet only. A client " +
    "with nothing but HTTP sends `signature` instead: the owner's signature over `message`, never the sign-in " +
    "signature. The owner is then `wallet`, or the x-wallet header, or the API key's wallet. Nothing secret is " +
    "logged, stored or returned.",
  body: z
    .strictObject({
      publicKey: WalletAddress.optional().meta({
        description: "Public key of the service wallet. Send it with `proof`",
      }),
      proof: SignatureBase64.optional().meta({
        description: "The service wallet's signature over the filled-in `link`, canonical base64 of 64 bytes",
      }),
      signature: SignatureBase64.optional().meta({
        description:
          "The owner's signature over `message`, canonical base64 of 64 bytes. Send either this or `publicKey` with " +
          "`proof`",
      }),
      wallet: WalletAddress.optional().meta({
        description: "The owner. Send it with `signature`, or with the `proof` of a static key",
      }),
      index: z
        .int()
        .min(0)
        .max(255)
        .optional()
        .meta({ description: "Number of the owner's service wallet; default 0" }),
    })
    .refine(({ publicKey, signature }) => (publicKey === undefined) !== (signature === undefined), {
      message: "send either publicKey and proof, or signature",
      path: ["signature"],
    })
    .refine(({ publicKey, proof }) => (publicKey === undefined) === (proof === undefined), {
      message: "publicKey and proof go together",
      path: ["proof"],
    }),
  data: z.strictObject({
    publicKey: Address,
    wallet: Address,
    index: z.int(),
    message: z.string(),
    ownerProven: z.literal(false).optional().meta({
      description: "Present when a static key named the owner. Nothing then shows that `wallet` is the owner",
    }),
  }),
  errors: ["invalid_address", "wallets_equal", "wallet_not_allowed", "wallet_required", "wrong_text_signed"],
  example: { publicKey: EXAMPLE_SERVICE_WALLET, proof: EXAMPLE_GAP },
  exampleAnswer: {
    publicKey: EXAMPLE_SERVICE_WALLET,
    wallet: EXAMPLE_WALLET,
    index: 0,
    message: createServiceWalletText(SANDBOX_DEPLOYMENT),
  },
});
