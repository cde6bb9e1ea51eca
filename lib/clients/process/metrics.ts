import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The metrics on METRICS_PORT. Names never change their meaning: dashboards and alerts use them. */
export const registry = new Registry();

const registers = [registry];

/** Upper bounds of the eight buckets, from a cached answer to a relay. */
const BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30];

const addCounter = (name: string, help: string, ...labelNames: string[]) =>
  new Counter({ name, help, labelNames, registers });
const addHistogram = (name: string, help: string, ...labelNames: string[]) =>
  new Histogram({ name, help, labelNames, registers, buckets: BUCKETS_SECONDS });

const requestHistogram = addHistogram(
  "roundup_http_request_duration_seconds",
  "Time to answer a request of the API",
  "operation",
  "status",
);
const limiterRefusals = addCounter(
  "roundup_rate_limited_total",
  "Requests refused with 429 because their address or wallet had used up its calls",
);
const relayAnswers = addCounter(
  "roundup_relay_answers_total",
  "Answers of execute: confirmed, pending, or the code of the failure",
  "outcome",
);
export const backgroundTasks = new Gauge({
  name: "roundup_background_tasks",
  help: "Relays and other tasks in flight",
  labelNames: ["kind"],
  registers,
});
export const upstreamCalls = addHistogram(
  "roundup_upstream_call_duration_seconds",
  "Time of a call of a node, Jupiter or Pyth; outcome is ok, the HTTP status, or the kind of failure",
  "upstream",
  "method",
  "outcome",
);
export const breakerOpenings = addCounter(
  "roundup_breaker_opened_total",
  "How often a breaker opened because an upstream hung",
  "upstream",
);
export const budgetRefusals = addCounter(
  "roundup_budget_refusals_total",
  "Upstream calls that were not made because the quota was used up",
  "upstream",
  "priority",
);

type AnsweredRequest = { operation: string; status: number; ms: number; code?: string };

export function countRequest({ operation, status, ms, code }: AnsweredRequest): void {
  requestHistogram.observe({ operation, status: `${Math.floor(status / 100)}xx` }, ms / 1000);
  if (code === "rate_limited") limiterRefusals.inc();
  if (operation === "execute-transaction")
    relayAnswers.inc({ outcome: code ?? (status === 202 ? "pending" : "confirmed") });
}

/** Adds the metrics of Node itself: memory, event loop lag, garbage collection. Measuring them costs time. */
export function collectNodeMetrics(): void {
  if (!registry.getSingleMetric("nodejs_eventloop_lag_seconds")) collectDefaultMetrics({ register: registry });
}
