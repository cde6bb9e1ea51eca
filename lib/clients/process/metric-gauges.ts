import { type CollectFunction, Gauge, Histogram, type Registry } from "prom-client";
import { ASSET_SYMBOLS } from "../../domain/assets";
import { hasSoundPrice, type Prices } from "../../domain/prices/prices";
import type { Deps } from "../../ports/deps";

const READ_EVERY_MS = 15_000;
const READ_COLLECTORS_EVERY_MS = 60_000;

type GaugeSources = Pick<Deps, "kv" | "prices" | "rpc" | "feeCollectors" | "reportUpstreams" | "clock">;

/**
 * Adds the gauges that are read from the ports every READ_EVERY_MS. A scrape calls nothing, so a hanging upstream never
 * delays it.
 * @returns a function that reads once, and one that stops the regular reads
 */
export function observePorts(
  { kv, prices, rpc, feeCollectors, reportUpstreams, clock }: GaugeSources,
  registry: Registry,
) {
  const registers = [registry];
  const addGauge = (name: string, help: string, label?: string, collect?: CollectFunction<Gauge>) =>
    new Gauge({ name, help, labelNames: label ? [label] : [], registers, collect });
  let lastPrices: Prices | null = null;
  let nextCollectorsReadAt = 0;

  const storePingHistogram = new Histogram({
    name: "roundup_store_ping_duration_seconds",
    help: "Time of a small write to the store, measured every 15 s",
    labelNames: ["outcome"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const collectorHelp = "Balance of each fee collector, by its position in FEE_COLLECTORS";
  const collectorGauge = addGauge("roundup_collector_lamports", collectorHelp, "collector");
  const upHelp = "1 while an upstream answers, 0 while it fails, lags or is on the wrong network";
  addGauge("roundup_upstream_up", upHelp, "upstream", function () {
    for (const { name, state } of reportUpstreams())
      this.set({ upstream: name }, ["up", "busy", "unchecked"].includes(state) ? 1 : 0);
  });
  const lagHelp = "Slots that a node is behind the newest known one";
  addGauge("roundup_node_lag_slots", lagHelp, "upstream", function () {
    for (const { name, lagSlots } of reportUpstreams()) if (lagSlots !== null) this.set({ upstream: name }, lagSlots);
  });
  const ageHelp = "Age of the newest prices, infinite before the first; nothing is built on prices older than 60 s";
  addGauge("roundup_price_age_seconds", ageHelp, undefined, function () {
    this.set(lastPrices ? Math.max(0, clock.now() - lastPrices.fetchedAt) / 1000 : Number.POSITIVE_INFINITY);
  });
  const usableHelp = "1 while the price of an asset may be used to build, 0 while it is missing or doubted";
  addGauge("roundup_price_usable", usableHelp, "asset", function () {
    for (const asset of lastPrices ? ASSET_SYMBOLS : []) this.set({ asset }, hasSoundPrice(lastPrices!, asset) ? 1 : 0);
  });
  const sourceHelp = "1 while the second price source answers; absent without one";
  addGauge("roundup_second_price_source_up", sourceHelp, undefined, function () {
    if (lastPrices?.secondSource) this.set(lastPrices.secondSource === "answers" ? 1 : 0);
    else this.remove();
  });

  const readStore = async () => {
    const stopTimer = storePingHistogram.startTimer();
    await kv.ping().then(
      () => stopTimer({ outcome: "ok" }),
      () => stopTimer({ outcome: "failed" }),
    );
  };
  const readCollectors = async () => {
    if (clock.now() < nextCollectorsReadAt) return;
    nextCollectorsReadAt = clock.now() + READ_COLLECTORS_EVERY_MS;
    const accounts = await rpc.readAccounts([...feeCollectors]);
    for (const [i, account] of accounts.entries())
      collectorGauge.set({ collector: String(i + 1) }, Number(account?.lamports ?? 0n));
  };
  const readPrices = async () => {
    lastPrices = await prices.readCurrent();
  };
  const readAll = async () => {
    await Promise.allSettled([readStore(), readCollectors(), readPrices()]);
  };
  void readAll();
  const timer = setInterval(() => void readAll(), READ_EVERY_MS).unref();
  return { readAll, stop: () => clearInterval(timer) };
}
