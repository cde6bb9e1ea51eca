import { Gauge, Histogram, type Registry } from "prom-client";
import { ASSET_SYMBOLS } from "../../domain/assets";
import { hasSoundPrice, type Prices } from "../../domain/prices/prices";
import type { Deps } from "../../ports/deps";

/** How often the store is pinged and the prices are read for the metrics, ms. */
const READ_EVERY_MS = 15_000;
/** How often the collectors' balances are read, ms. */
const READ_COLLECTORS_EVERY_MS = 60_000;

type GaugeSources = Pick<Deps, "kv" | "prices" | "rpc" | "feeCollectors" | "reportUpstreams" | "clock">;

/**
 * Adds the gauges that are read from the ports, and reads them every READ_EVERY_MS. A scrape itself calls nothing, so a
 * hanging upstream never delays it.
 * @returns a function that reads once, and one that stops the regular reads
 */
export function observePorts(deps: GaugeSources, registry: Registry) {
  const registers = [registry];
  const storePingHistogram = new Histogram({
    name: "roundup_store_ping_duration_seconds",
    help: "Time of a small write to the store, measured every 15 s",
    labelNames: ["outcome"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const collectorGauge = new Gauge({
    name: "roundup_collector_lamports",
    help: "Balance of each fee collector, by its position in FEE_COLLECTORS",
    labelNames: ["collector"],
    registers,
  });
  addUpstreamGauges(deps, registers);
  const recordPrices = addPriceGauges(deps, registers);
  let nextCollectorsReadAt = 0;

  const readStore = async () => {
    const stopTimer = storePingHistogram.startTimer();
    await deps.kv.ping().then(
      () => stopTimer({ outcome: "ok" }),
      () => stopTimer({ outcome: "failed" }),
    );
  };
  const readCollectors = async () => {
    if (deps.clock.now() < nextCollectorsReadAt) return;
    nextCollectorsReadAt = deps.clock.now() + READ_COLLECTORS_EVERY_MS;
    const accounts = await deps.rpc.readAccounts([...deps.feeCollectors]);
    for (const [i, account] of accounts.entries())
      collectorGauge.set({ collector: String(i + 1) }, Number(account?.lamports ?? 0n));
  };
  const readAll = async () => {
    await Promise.allSettled([readStore(), readCollectors(), deps.prices.readCurrent().then(recordPrices)]);
  };
  void readAll();
  const timer = setInterval(() => void readAll(), READ_EVERY_MS).unref();
  return { readAll, stop: () => clearInterval(timer) };
}

function addUpstreamGauges({ reportUpstreams }: GaugeSources, registers: Registry[]): void {
  new Gauge({
    name: "roundup_upstream_up",
    help: "1 while an upstream answers, 0 while it fails, lags or is on the wrong network",
    labelNames: ["upstream"],
    registers,
    collect() {
      for (const { name, state } of reportUpstreams())
        this.set({ upstream: name }, ["up", "busy", "unchecked"].includes(state) ? 1 : 0);
    },
  });
  new Gauge({
    name: "roundup_node_lag_slots",
    help: "Slots that a node is behind the newest known one",
    labelNames: ["upstream"],
    registers,
    collect() {
      for (const { name, lagSlots } of reportUpstreams()) if (lagSlots !== null) this.set({ upstream: name }, lagSlots);
    },
  });
}

/** Adds the gauges of the prices. @returns a function that records a reading of the prices */
function addPriceGauges({ clock }: GaugeSources, registers: Registry[]) {
  let lastPrices: Prices | null = null;
  new Gauge({
    name: "roundup_price_age_seconds",
    help: "Age of the newest prices, infinite before the first; nothing is built on prices older than 60 s",
    registers,
    collect() {
      this.set(lastPrices ? Math.max(0, clock.now() - lastPrices.fetchedAt) / 1000 : Number.POSITIVE_INFINITY);
    },
  });
  new Gauge({
    name: "roundup_price_usable",
    help: "1 while the price of an asset may be used to build, 0 while it is missing or doubted",
    labelNames: ["asset"],
    registers,
    collect() {
      if (!lastPrices) return;
      for (const asset of ASSET_SYMBOLS) this.set({ asset }, hasSoundPrice(lastPrices, asset) ? 1 : 0);
    },
  });
  new Gauge({
    name: "roundup_second_price_source_up",
    help: "1 while the second price source answers; absent without one",
    registers,
    collect() {
      if (lastPrices?.secondSource) this.set(lastPrices.secondSource === "answers" ? 1 : 0);
      else this.remove();
    },
  });
  return (prices: Prices): void => {
    lastPrices = prices;
  };
}
