import { z } from "zod";
import { defineContract } from "./define";
import { Address, Lamports, Network } from "./scalars";

const AgeMs = z.int().nonnegative().nullable().describe("Milliseconds; null before the first call");

const HealthReport = z
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
          .describe("The kind of the last failure, at any time"),
        lastRefusal: z
          .string()
          .nullable()
          .describe("What the upstream refused in its last failure: the key, the password or a right; else null")
          .meta({ examples: ["does not let its user run EVAL"] }),
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
  isRateLimitedLocally: true,
  isLongRunning: true,
  tag: "Service",
  summary: "Check whether the service is live and ready",
  description:
    "`?probe=live` calls no upstream. `?probe=ready` is for load balancers: 503 means that this instance cannot " +
    "serve, because its store does not answer or the process is ending. `degraded` names the upstreams that " +
    "failed last. Without a probe, a 503 also covers the chain and the prices. `?verbose` shows the operator the " +
    "recent answers of each upstream and the balances of the fee collectors.",
  query: z.strictObject({
    probe: z.enum(["live", "ready"]).optional().describe("Selects the checks. Without it, all checks run"),
    verbose: z.enum(["", "true"]).optional().describe("Requests the report. Needs a static key in x-api-key"),
  }),
  data: z.strictObject({
    live: z.literal(true),
    ready: z.boolean().nullable().describe("Null for `?probe=live`"),
    network: Network,
    degraded: z
      .array(
        z.strictObject({
          part: z.enum(["upstream", "prices", "second-price-source", "collectors", "pause"]),
          reason: z.string(),
        }),
      )
      .describe("Parts of the service that do not work fully. Reads and withdrawals always work"),
    report: HealthReport.optional().describe("Present with `verbose`"),
  }),
  errors: ["credentials_missing", "service_not_ready"],
  exampleAnswer: { live: true, ready: true, network: "sandbox", degraded: [] },
});
