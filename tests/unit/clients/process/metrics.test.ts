import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { countRequest, registry } from "../../../../lib/clients/process/metrics";

const readSeries = async (name: string) => (await registry.getSingleMetric(name)!.get()).values;

test("the metrics page counts requests by operation and status class, in eight buckets", async () => {
  registry.resetMetrics();
  for (const status of [200, 201, 429]) countRequest({ operation: "get-prices", status, ms: 3 });
  const values = await readSeries("roundup_http_request_duration_seconds");
  const valuesWithoutBucket = values.filter(({ labels }) => labels.le === undefined);
  // The ninth bucket is +Inf.
  expect(values.filter(({ labels }) => labels.status === "2xx" && labels.le !== undefined)).toHaveLength(8 + 1);
  expect(
    valuesWithoutBucket.flatMap((sample) =>
      (sample as { metricName?: string }).metricName?.endsWith("_count") ? [[sample.labels.status, sample.value]] : [],
    ),
  ).toEqual([
    ["2xx", 2],
    ["4xx", 1],
  ]);
});

test("the metrics page counts limiter refusals and the outcomes of relays", async () => {
  registry.resetMetrics();
  countRequest({ operation: "get-prices", status: 429, ms: 1, code: "rate_limited" });
  countRequest({ operation: "execute-swap", status: 200, ms: 1 });
  countRequest({ operation: "execute-swap", status: 202, ms: 1 });
  countRequest({ operation: "execute-swap", status: 422, ms: 1, code: "transaction_expired" });
  expect(await readSeries("roundup_rate_limited_total")).toMatchObject([{ value: 1 }]);
  expect(await readSeries("roundup_relay_answers_total")).toMatchObject([
    { labels: { outcome: "confirmed" }, value: 1 },
    { labels: { outcome: "pending" }, value: 1 },
    { labels: { outcome: "transaction_expired" }, value: 1 },
  ]);
});

test("the metrics page keeps one series for each status class of requests without an operation", async () => {
  registry.resetMetrics();
  for (let i = 0; i < 100; i++) countRequest({ operation: "none", status: 404, ms: i });
  const values = await readSeries("roundup_http_request_duration_seconds");
  expect(values.filter(({ labels }) => labels.le === 1)).toHaveLength(1);
});

const readProjectFile = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");

test("alerts and rows of the incident table correspond one to one", () => {
  const alertNames = [...readProjectFile("deploy/metrics/alerts.yml").matchAll(/alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  const incidentNames = [...readProjectFile("docs/operations.md").matchAll(/^\| (Roundup\w+) \|/gm)].map(
    ([, name]) => name,
  );
  expect(incidentNames).toEqual(alertNames);
  // The patterns match the files.
  expect(alertNames.length).toBeGreaterThan(10);
});
