import { z } from "zod";
import { defineContract } from "./define";
import { Network } from "./scalars";

export const getHealthContract = defineContract({
  operation: "get-health",
  method: "GET",
  path: "/api/health",
  auth: "none",
  countedHere: true,
  tag: "Service",
  summary: "Live, and ready: chain, prices and store all answer",
  description:
    "`?probe=live` answers without asking anyone else. Not ready is a 503 that names what is missing, or says that the process is ending; what works only in part is in `degraded`.",
  query: z.strictObject({ probe: z.enum(["live", "ready"]).optional() }),
  data: z.strictObject({
    live: z.literal(true),
    ready: z.boolean().nullable().meta({ description: "Null when only `live` was asked" }),
    network: Network,
    degraded: z
      .array(
        z.strictObject({
          part: z.enum(["prices", "second-price-source", "collectors", "pause"]),
          reason: z.string(),
        }),
      )
      .meta({ description: "What works only in part; reading and withdrawing always do" }),
  }),
  errors: ["upstream_unavailable", "service_not_ready"],
  exampleAnswer: { live: true, ready: true, network: "sandbox", degraded: [] },
});
