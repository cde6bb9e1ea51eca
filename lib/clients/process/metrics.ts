import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from "prom-client";
import { createRequestHistogram } from "./request-histogram";

/** The metrics on METRICS_PORT. Names never change their meaning: dashboards and alerts use them. */
export const registry = new Registry();

const registers = [registry];

/** Upper bounds of the eight buckets, from a cached answer to a relay. */
const BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30];

const requestHistogram = createRequestHistogram(
  "roundup_http_request_duration_seconds",
  "Time to answer a request of the API",
  BUCKETS_SECONDS.map((seconds) => seconds * 1000),
);
registry.registerMetric(requestHistogram.metric as unknown as Metric);

const limiterRefusals = new Counter({
  name: "roundup_rate_limited_total",
  help: "Requests refused with 429 because their address or wallet had used up its calls",
  registers,
});

const relayAnswers = new Counter({
  name: "roundup_relay_answers_total",
  help: "Answers of execute: confirmed, pending, or the code of the failure",
  labelNames: ["outcome"],
  registers,
});

export const backgroundTasks = new Gauge({
  name: "roundup_background_tasks",
  help: "Relays and other tasks in flight",
  labelNames: ["kind"],
  registers,
});

export const upstreamCalls = new Histogram({
  name: "roundup_upstream_call_duration_seconds",
  help: "Time of a call of a node, Jupiter or Pyth; outcome is ok, the HTTP status, or the kind of failure",
  labelNames: ["upstream", "method", "outcome"],
  buckets: BUCKETS_SECONDS,
  registers,
});

export const breakerOpenings = new Counter({
  name: "roundup_breaker_opened_total",
  help: "How often a breaker opened because an upstream hung",
  labelNames: ["upstream"],
  registers,
});

export const budgetRefusals = new Counter({
  name: "roundup_budget_refusals_total",
  help: "Upstream calls that were not made because the quota was used up",
  labelNames: ["upstream", "priority"],
  registers,
});

interface AnsweredRequest {
  operation: string;
  status: number;
  ms: number;
  code?: string;
}

export function countRequest({ operation, status, ms, code }: AnsweredRequest): void {
  requestHistogram.observe(operation, status, ms);
  if (code === "rate_limited") limiterRefusals.inc();
  if (operation === "execute-transaction")
    relayAnswers.inc({ outcome: code ?? (status === 202 ? "pending" : "confirmed") });
}

/** Adds the metrics of Node itself: memory, event loop lag, garbage collection. Measuring them costs time. */
export function collectNodeMetrics(): void {
  if (!registry.getSingleMetric("nodejs_eventloop_lag_seconds")) collectDefaultMetrics({ register: registry });
}
