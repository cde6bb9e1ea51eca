import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { observePorts } from "../../../../lib/clients/process/metric-gauges";
import { collectNodeMetrics, countRequest, registry } from "../../../../lib/clients/process/metrics";
import { serveMetrics } from "../../../../lib/http/metrics-server";
import { createFakeDeps, type FakeDeps, failCalls } from "../../../support/fakes/fake-deps";

const readFile = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");

async function observeDeps(deps: FakeDeps) {
  const testRegistry = new Registry();
  const { readAll, stop } = observePorts(deps, testRegistry);
  onTestFinished(stop);
  await readAll();
  const readValues = async (name: string) => {
    const metric = await testRegistry.getSingleMetric(name)!.get();
    return metric.values.map(({ labels, value }) => [...Object.values(labels), value]);
  };
  return { testRegistry, readValues };
}

test("a scrape succeeds without calling any upstream", async () => {
  const deps = createFakeDeps();
  deps.beforeCall = failCalls("kv", "rpc", "prices");
  const { testRegistry, readValues } = await observeDeps(deps);
  deps.calls.length = 0;
  expect(await testRegistry.metrics()).toContain('roundup_store_ping_duration_seconds_count{outcome="failed"}');
  expect(await readValues("roundup_price_age_seconds")).toEqual([[Number.POSITIVE_INFINITY]]);
  expect(await readValues("roundup_second_price_source_up")).toEqual([]);
  expect(deps.calls).toEqual([]);
});

test("dashboard and alerts use exported names only, and the dashboard shows every metric of the service", async () => {
  const { testRegistry } = await observeDeps(createFakeDeps());
  collectNodeMetrics();
  const readAllMetrics = async () => `${await registry.metrics()}\n${await testRegistry.metrics()}`;
  const url = await serveMetrics(
    { countRequest: () => {}, read: async () => ({ contentType: registry.contentType, text: await readAllMetrics() }) },
    0,
  );
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const page = await (await fetch(url)).text();
  const exportedNames = new Set([...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  const dashboard = readFile("deploy/metrics/dashboard.json");
  JSON.parse(dashboard);
  const usedNames = `${dashboard}\n${readFile("deploy/metrics/alerts.yml")}`.match(
    /\b(?:roundup|nodejs|process)_\w+/g,
  )!;
  const unknownNames = usedNames
    .map((name) => name.replace(/_(bucket|count|sum)$/, ""))
    .filter((name) => !exportedNames.has(name));
  expect([...new Set(unknownNames)]).toEqual([]);
  expect([...exportedNames].filter((name) => name!.startsWith("roundup_") && !dashboard.includes(name!))).toEqual([]);
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
});

test("the metrics page counts limiter refusals and the outcomes of relays", async () => {
  registry.resetMetrics();
  countRequest({ operation: "get-prices", status: 429, ms: 1, code: "rate_limited" });
  countRequest({ operation: "execute-transaction", status: 200, ms: 1 });
  countRequest({ operation: "execute-transaction", status: 202, ms: 1 });
  countRequest({ operation: "execute-transaction", status: 422, ms: 1, code: "transaction_expired" });
  const readSeries = async (name: string) => (await registry.getSingleMetric(name)!.get()).values;
  expect(await readSeries("roundup_rate_limited_total")).toMatchObject([{ value: 1 }]);
  expect(await readSeries("roundup_relay_answers_total")).toMatchObject([
    { labels: { outcome: "confirmed" }, value: 1 },
    { labels: { outcome: "pending" }, value: 1 },
    { labels: { outcome: "transaction_expired" }, value: 1 },
  ]);
});

test("alerts and rows of the incident table correspond one to one", () => {
  const listNames = (path: string, pattern: RegExp) => [...readFile(path).matchAll(pattern)].map(([, name]) => name);
  const alertNames = listNames("deploy/metrics/alerts.yml", /alert: (\w+)/g);
  const incidentNames = listNames("docs/operations.md", /^\| (Roundup\w+) \|/gm);
  expect(incidentNames).toEqual(alertNames);
  // The patterns match the files.
  expect(alertNames.length).toBeGreaterThan(10);
});
