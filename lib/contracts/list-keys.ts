import { z } from "zod";
import { defineContract } from "./define";
import { apiKeyFields, EXAMPLE_KEY } from "./generate-key";
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
  exampleAnswer: { keys: [{ ...EXAMPLE_KEY, lastUsedAt: null }] },
});
