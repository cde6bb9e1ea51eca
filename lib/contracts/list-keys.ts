import { z } from "zod";
import { apiKeyMembers } from "./api-key-members";
import { defineContract } from "./define";
import { Timestamp } from "./scalars";

export const listKeysContract = defineContract({
  operation: "list-keys",
  method: "GET",
  path: "/api/keys",
  auth: "wallet",
  tag: "Keys",
  summary: "The live API keys of the signing wallet",
  data: z.strictObject({
    keys: z.array(z.strictObject({ ...apiKeyMembers, lastUsedAt: Timestamp.nullable() })),
  }),
  errors: ["upstream_unavailable"],
});
