import { z } from "zod";
import { createServiceWalletText, SANDBOX_DEPLOYMENT } from "../domain/signed-texts";
import { defineContract } from "./define";
import { EXAMPLE_PLACEHOLDER, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, FORM_NEEDS_SIGNATURE, OffchainFormField, SignatureBase64, WalletAddress } from "./scalars";

export const deriveWalletContract = defineContract({
  operation: "derive-wallet",
  method: "POST",
  path: "/api/wallet/derive",
  auth: "caller",
  tag: "Wallets",
  summary: "Register a savings wallet, by a proof of its key or by its derivation signature",
  description:
    "The better way is to derive the key yourself, and to send its `publicKey` with `proof`. The owner is then the " +
    "caller, and the derivation signature stays with you. A client with nothing but HTTP sends `signature` " +
    "instead. GET on this path has both texts. Nothing secret is logged, stored or returned.",
  body: z
    .strictObject({
      publicKey: WalletAddress.optional().describe("Public key of the savings wallet. Send it with `proof`"),
      proof: SignatureBase64.optional().describe(
        "The savings wallet's signature over `link`, with `{owner}` and `{publicKey}` filled in. Base64 of 64 bytes",
      ),
      signature: SignatureBase64.optional().describe("The owner's signature over `message`, not the sign-in signature"),
      form: OffchainFormField,
      wallet: WalletAddress.optional().describe(
        "The owner. With `proof`: required for a static key, refused for other callers. With `signature`: by default " +
          "the x-wallet header, or the API key's wallet",
      ),
      index: z.int().min(0).max(255).optional().describe("Number of the owner's savings wallet; default 0"),
    })
    .refine(({ publicKey, signature }) => (publicKey === undefined) !== (signature === undefined), {
      message: "send either publicKey and proof, or signature",
      path: ["signature"],
    })
    .refine(({ publicKey, proof }) => (publicKey === undefined) === (proof === undefined), {
      message: "publicKey and proof go together",
      path: ["proof"],
    })
    .refine(...FORM_NEEDS_SIGNATURE),
  data: z.strictObject({
    publicKey: Address,
    wallet: Address,
    index: z.int(),
    message: z.string(),
    ownerProven: z
      .literal(false)
      .optional()
      .describe("Present when a static key named the owner, because `proof` does not prove the owner"),
  }),
  errors: ["invalid_address", "wallets_equal", "wallet_not_allowed", "wallet_required", "wrong_text_signed"],
  example: { publicKey: EXAMPLE_SERVICE_WALLET, proof: EXAMPLE_PLACEHOLDER },
  exampleAnswer: {
    publicKey: EXAMPLE_SERVICE_WALLET,
    wallet: EXAMPLE_WALLET,
    index: 0,
    message: createServiceWalletText(SANDBOX_DEPLOYMENT),
  },
});
