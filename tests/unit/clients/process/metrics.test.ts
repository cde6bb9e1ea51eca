import { readFileSync } from "node:fs";
import type { MetricValue } from "prom-client";
import { expect, test } from "vitest";
import { countRequest, registry } from "../../../../lib/clients/process/metrics";

const readSeries = async (name: string): Promise<(MetricValue<string> & { metricName?: string })[]> =>
  (await registry.getSingleMetric(name)!.get()).values;

test("the metrics page counts limiter refusals and the outcomes of relays", async () => {
  registry.resetMetrics();
  countRequest({ operation: "get-prices", status: 429, ms: 1, code: "rate_limited" });
  countRequest({ operation: "execute-transaction", status: 200, ms: 1 });
  countRequest({ operation: "execute-transaction", status: 202, ms: 1 });
  countRequest({ operation: "execute-transaction", status: 422, ms: 1, code: "transaction_expired" });
  expect(await readSeries("roundup_rate_limited_total")).toMatchObject([{ value: 1 }]);
  expect(await readSeries("roundup_relay_answers_total")).toMatchObject([
    { labels: { outcome: "confirmed" }, value: 1 },
    { labels: { outcome: "pending" }, value: 1 },
    { labels: { outcome: "transaction_expired" }, value: 1 },
  ]);
});

test("alerts and rows of the incident table correspond one to one", () => {
  const listNames = (path: string, pattern: RegExp) => {
    const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
    return [...text.matchAll(pattern)].map(([, name]) => name);
  };
  const alertNames = listNames("deploy/metrics/alerts.yml", /alert: (\w+)/g);
  const incidentNames = listNames("docs/operations.md", /^\| (Roundup\w+) \|/gm);
  expect(incidentNames).toEqual(alertNames);
  // The patterns match the files.
  expect(alertNames.length).toBeGreaterThan(10);
});
