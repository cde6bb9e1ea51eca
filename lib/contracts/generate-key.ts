import { z } from "zod";
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS, MAX_KEYS_PER_WALLET } from "../domain/api-key";
import { defineContract } from "./define";
import { EXAMPLE_KEY_ID, EXAMPLE_WALLET } from "./examples";
import { Address, FORM_NEEDS_SIGNATURE, OffchainFormField, SignatureBase64, Timestamp, WalletAddress } from "./scalars";

/** What answers show of a key at any time, so not its secret text. */
export const apiKeyFields = {
  id: z.string(),
  wallet: Address,
  name: z.string().nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};

/** `apiKeyFields` of the key that the examples create and list. */
export const EXAMPLE_KEY = {
  id: EXAMPLE_KEY_ID,
  wallet: EXAMPLE_WALLET,
  name: "agent",
  createdAt: "2026-11-21T04:04:49.335Z",
  expiresAt: "2027-02-19T04:04:49.335Z",
};

export const generateKeyContract = defineContract({
  operation: "generate-key",
  method: "POST",
  path: "/api/keys/generate",
  auth: "signer",
  tag: "Keys",
  summary: "Create an API key for a wallet that signed the sign-in text",
  description:
    `Send the wallet and the signature in the body or in the headers. The key is shown once. A wallet has at most ` +
    `${MAX_KEYS_PER_WALLET} live keys. An API key cannot create keys.`,
  body: z
    .strictObject({
      wallet: WalletAddress.optional().describe("The wallet that gets the key. Default: the wallet in the headers"),
      signature: SignatureBase64.optional().describe(
        "The wallet's signature of the sign-in text. Required with `wallet`",
      ),
      form: OffchainFormField,
      name: z
        .string()
        .trim()
        .min(1)
        .max(60)
        .regex(/^[^\p{C}]*$/u, "must be printable")
        .optional()
        .describe("A name to tell your keys apart"),
      expiresInDays: z
        .int()
        .min(1)
        .max(MAX_KEY_DAYS)
        .optional()
        .describe(`Days until the key expires. Default ${DEFAULT_KEY_DAYS}`),
    })
    .refine(...FORM_NEEDS_SIGNATURE),
  data: z.strictObject({ apiKey: z.string(), ...apiKeyFields, usage: z.string() }),
  errors: ["invalid_address", "credentials_missing", "credentials_invalid", "too_many_keys"],
  example: { name: "agent" },
  exampleAnswer: {
    apiKey: "ru_test_a11b654c308b17b4_…",
    ...EXAMPLE_KEY,
    usage: "Send the key in the header x-api-key. The key is shown only once.",
  },
});
