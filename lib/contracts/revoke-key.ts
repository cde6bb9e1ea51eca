import { z } from "zod";
import { defineContract } from "./define";

export const revokeKeyContract = defineContract({
  operation: "revoke-key",
  method: "DELETE",
  path: "/api/keys/{id}",
  auth: "wallet",
  tag: "Keys",
  summary: "Revoke an API key of the signing wallet, at once",
  params: z.strictObject({ id: z.string().max(64) }),
  data: z.strictObject({ id: z.string(), revoked: z.literal(true) }),
  errors: ["not_found", "upstream_unavailable"],
});
