import { z } from "zod";
import { defineContract } from "./define";
import { Address, Lamports, Network } from "./scalars";

const AgeMs = z.int().nonnegative().nullable().meta({ description: "Milliseconds; null before the first" });

const Report = z
  .strictObject({
    upstreams: z.array(
      z.strictObject({
        name: z.string().meta({ examples: ["read node 1", "jupiter", "hermes", "store"] }),
        state: z.enum(["up", "busy", "failing", "lagging", "unchecked", "wrong network"]),
        lagSlots: z.int().nonnegative().nullable(),
        lastAnswerAgeMs: AgeMs,
        lastError: z
          .enum(["busy", "invalid", "key_refused", "lagging", "timeout", "unavailable"])
          .nullable()
          .meta({ description: "The kind of the last failure, however long ago" }),
      }),
    ),
    collectors: z.array(z.strictObject({ address: Address, balanceLamports: Lamports.nullable() })),
    priceAgeMs: AgeMs,
  })
  .meta({ id: "HealthReport" });

export const getHealthContract = defineContract({
  operation: "get-health",
  method: "GET",
  path: "/api/health",
  auth: "none",
  countedHere: true,
  patient: true,
  tag: "Service",
  summary: "Live, and ready: chain, prices and store all answer",
  description:
    "`?probe=live` answers without asking anyone else. `?probe=ready` is for load balancers: a 503 means that this instance cannot serve, because its store does not answer or the process is ending. " +
    "Upstreams that failed last are in `degraded`. Without a probe, a 503 also names chain and prices when they do not answer; what works only in part is in `degraded`. " +
    "`?verbose` is for the operator: with a static API key it answers, ready or not, how each upstream has answered of late and what the fee collectors hold.",
  query: z.strictObject({
    probe: z.enum(["live", "ready"]).optional().meta({ description: "What to check; everything when absent" }),
    verbose: z.enum(["", "true"]).optional().meta({ description: "`?verbose`; needs a static key in x-api-key" }),
  }),
  data: z.strictObject({
    live: z.literal(true),
    ready: z.boolean().nullable().meta({ description: "Null when only `live` was asked" }),
    network: Network,
    degraded: z
      .array(
        z.strictObject({
          part: z.enum(["upstream", "prices", "second-price-source", "collectors", "pause"]),
          reason: z.string(),
        }),
      )
      .meta({ description: "What works only in part; reading and withdrawing always do" }),
    report: Report.optional().meta({ description: "With `verbose` only" }),
  }),
  errors: ["credentials_missing", "service_not_ready"],
  exampleAnswer: { live: true, ready: true, network: "sandbox", degraded: [] },
});
