import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_KEY_ID, EXAMPLE_WALLET } from "./examples";
import { apiKeyFields } from "./generate-key";
import { Timestamp } from "./scalars";

export const listKeysContract = defineContract({
  operation: "list-keys",
  method: "GET",
  path: "/api/keys",
  auth: "wallet",
  tag: "Keys",
  summary: "List the live API keys of the signing wallet",
  description: "The service does not store a key and cannot show it again. `lastUsedAt` is at most an hour old.",
  data: z.strictObject({ keys: z.array(z.strictObject({ ...apiKeyFields, lastUsedAt: Timestamp.nullable() })) }),
  errors: [],
  exampleAnswer: {
    keys: [
      {
        id: EXAMPLE_KEY_ID,
        wallet: EXAMPLE_WALLET,
        name: "agent",
        createdAt: "2026-11-21T04:04:49.335Z",
        expiresAt: "2027-02-19T04:04:49.335Z",
        lastUsedAt: null,
      },
    ],
  },
});
