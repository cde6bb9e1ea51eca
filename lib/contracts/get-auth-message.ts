import { z } from "zod";
import { defineContract } from "./define";

export const getAuthMessageContract = defineContract({
  operation: "get-auth-message",
  method: "GET",
  path: "/api/auth",
  auth: "none",
  tag: "Public",
  summary: "The text a wallet signs to call protected endpoints",
  data: z.strictObject({
    message: z.string(),
    instructions: z.string(),
    headers: z.strictObject({ "x-wallet": z.string(), "x-signature": z.string() }),
  }),
  errors: [],
  cacheControl: "public, max-age=300",
});
