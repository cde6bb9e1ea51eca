import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { observePorts } from "../../../../lib/clients/process/metric-gauges";
import { collectNodeMetrics, registry } from "../../../../lib/clients/process/metrics";
import { serveMetrics } from "../../../../lib/http/metrics-server";
import { createFakeDeps, type FakeDeps, failCalls } from "../../../support/fakes/fake-deps";

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
  const readFile = (file: string) =>
    readFileSync(new URL(`../../../../deploy/metrics/${file}`, import.meta.url), "utf8");
  const dashboard = readFile("dashboard.json");
  JSON.parse(dashboard);
  const usedNames = `${dashboard}\n${readFile("alerts.yml")}`.match(/\b(?:roundup|nodejs|process)_\w+/g)!;
  const unknownNames = usedNames
    .map((name) => name.replace(/_(bucket|count|sum)$/, ""))
    .filter((name) => !exportedNames.has(name));
  expect([...new Set(unknownNames)]).toEqual([]);
  expect([...exportedNames].filter((name) => name!.startsWith("roundup_") && !dashboard.includes(name!))).toEqual([]);
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
});
