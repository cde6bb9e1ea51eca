import { afterEach, expect, inject, test } from "vitest";
import { removeFaults, stageFault, UPSTREAM_TEXT_PATTERN } from "../support/chain/chain";
import { get, post, readData } from "../support/client/client";

const { apiKey: staticKey } = inject("apps");

afterEach(removeFaults);

test("200: reports live and ready when chain, prices and store answer", async () => {
  expect(await readData(get("/api/health"))).toEqual({ live: true, ready: true, network: "sandbox", degraded: [] });
});

test("200: reports every upstream and fee collector to a static key", async () => {
  const headers = { "x-api-key": staticKey };
  const readVerbose = () => readData(get("/api/health?verbose", { headers }));
  // Faults of earlier tests affect the market for a while. Quotes are cached, so each attempt has a new amount.
  let inputLamports = 1_000_000;
  const readQuoteStatus = async () =>
    (await post("/api/swap/quote", { inputLamports: inputLamports++, targetAsset: "BTC" }, { headers })).status;
  await expect.poll(readQuoteStatus, { timeout: 30_000 }).toBe(200);
  const { ready, report } = await readVerbose();
  expect([ready, report!.collectors.length]).toEqual([true, 8]);
  const upstreams = Object.fromEntries(report!.upstreams.map(({ name, ...rest }) => [name, rest]));
  expect(Object.keys(upstreams)).toEqual(["read node 1", "jupiter", "store"]);
  for (const upstream of Object.values(upstreams)) expect(upstream.state).toBe("up");
  await stageFault("getBlockHeight");
  const failing = await readVerbose();
  expect(failing.ready).toBe(false);
  expect(failing.report!.upstreams[0]!.lastError).not.toBeNull();
  expect(JSON.stringify(failing)).not.toMatch(UPSTREAM_TEXT_PATTERN);
  expect(JSON.stringify(failing)).not.toMatch(/https?:/);
});
