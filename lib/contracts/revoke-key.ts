import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_KEY_ID } from "./examples";

export const revokeKeyContract = defineContract({
  operation: "revoke-key",
  method: "DELETE",
  path: "/api/keys/{id}",
  auth: "wallet",
  tag: "Keys",
  summary: "Revoke an API key of the signing wallet, at once",
  description: "Revoking a key again gives the same answer, until the day the key would have expired.",
  params: z.strictObject({
    id: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/, "must be the id of a key")
      .describe("Id of the key, from GET /api/keys"),
  }),
  data: z.strictObject({ id: z.string(), revoked: z.literal(true) }),
  errors: ["not_found"],
  example: { id: EXAMPLE_KEY_ID },
  exampleAnswer: { id: EXAMPLE_KEY_ID, revoked: true },
});
