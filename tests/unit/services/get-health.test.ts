import { beforeEach, describe, expect, test } from "vitest";
import { getHealthContract } from "../../../lib/contracts/get-health";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { getHealth } from "../../../lib/services/get-health";
import { callService } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSolAccount,
  type FakeDeps,
  FEE_COLLECTORS,
  failCalls,
  runFor,
} from "../../support/fakes/fake-deps";

const readHealth = (query = {}, hasStaticKey = false) =>
  callService(getHealthContract, getHealth, deps, query, { hasStaticKey: () => hasStaticKey });

let deps: FakeDeps;
beforeEach(() => {
  deps = createFakeDeps();
});

const listDegraded = async () => (await readHealth()).degraded.map(({ part, reason }) => `${part}: ${reason}`);

test.each([
  ["readBlockHeight", "chain"],
  ["readCurrent", "prices"],
  ["get", "store"],
])("a health call is refused while %s fails, in an error that names the %s", async (failingMethod, partName) => {
  deps.beforeCall = failCalls(failingMethod);
  const message = `Live, but not ready: ${partName} did not answer.`;
  await expect(readHealth()).rejects.toMatchObject({ code: "upstream_unavailable", message });
});

test("the service is live but not ready while its process shuts down", async () => {
  deps.isEnding = () => true;
  await expect(readHealth()).rejects.toMatchObject({ code: "service_not_ready" });
  expect((await readHealth({ probe: "live" })).live).toBe(true);
  expect(deps.calls).toEqual([]);
});

test("collectors that cannot receive fees are reported as degraded", async () => {
  deps.chain.accounts.delete(FEE_COLLECTORS[1]!);
  expect(await listDegraded()).toEqual(["collectors: only 2 of 3 are funded"]);
  for (const collector of FEE_COLLECTORS) deps.chain.accounts.set(collector, createSolAccount(1n));
  expect(await listDegraded()).toEqual(["collectors: none of the 3 is funded, so nothing can be saved"]);
  deps.beforeCall = failCalls("readAccounts");
  expect(await listDegraded()).toEqual(["collectors: they could not be read"]);
});

test("actions paused in the settings or in the store are reported with the reason", async () => {
  deps.pause = { parts: ["invest"], reason: null };
  await deps.kv.set(STORE_KEYS.pause.toKey(), { parts: ["save", "invest"], reason: "the venue is odd" });
  expect(await listDegraded()).toEqual([
    "pause: invest paused by the operator",
    "pause: save and invest paused by the operator: the venue is odd",
  ]);
});

test("an upstream that hangs is named within four seconds", async () => {
  deps.beforeCall = ({ method }) => (method === "readBlockHeight" ? new Promise(() => {}) : undefined);
  const message = "Live, but not ready: chain did not answer.";
  await expect(runFor(4_000, deps, readHealth())).rejects.toMatchObject({ message });
});

describe("the readiness probe", () => {
  const readReadiness = () => readHealth({ probe: "ready" });

  test("stays ready without a call to nodes, market or prices", async () => {
    deps.beforeCall = failCalls("rpc", "prices", "swaps");
    const node = { name: "read node 1", lagSlots: null, answeredAt: null, lastFault: "timeout" } as const;
    deps.reportUpstreams = () => [
      { ...node, state: "failing" },
      { ...node, name: "read node 2", state: "up" },
      { ...node, name: "read node 3", state: "busy" },
    ];
    await deps.kv.set(STORE_KEYS.pause.toKey(), { parts: ["save"], reason: null });
    deps.calls.length = 0;
    const degraded = [
      { part: "upstream", reason: "read node 1: failing" },
      { part: "pause", reason: "save paused by the operator" },
    ];
    expect(await readReadiness()).toEqual({ live: true, ready: true, network: "sandbox", degraded });
    expect(new Set(deps.calls.map(({ port }) => port))).toEqual(new Set(["kv"]));
  });

  test("is refused if the store fails or hangs, or the process shuts down", async () => {
    const message = "Live, but not ready: store did not answer.";
    deps.beforeCall = failCalls("ping");
    await expect(readReadiness()).rejects.toMatchObject({ code: "upstream_unavailable", message });
    deps.beforeCall = ({ method }) => (method === "ping" ? new Promise(() => {}) : undefined);
    await expect(runFor(4_000, deps, readReadiness())).rejects.toMatchObject({ message });
    deps.isEnding = () => true;
    await expect(readReadiness()).rejects.toMatchObject({ code: "service_not_ready" });
  });
});

const REFUSED_KEY_REPORT = { name: "jupiter", state: "failing", lagSlots: null, lastFault: "key_refused" } as const;

test("a refused key of the price source is reported before and after the old prices become unusable", async () => {
  deps.reportUpstreams = () => [{ ...REFUSED_KEY_REPORT, answeredAt: null }];
  const reason = "prices: jupiter refuses the key that is configured; prices grow old and nothing is swapped";
  expect(await listDegraded()).toEqual([reason]);
  deps.currentPrices = null;
  const message = "Live, but not ready: prices did not answer.";
  const keyMessage = `${message} jupiter refuses the key that is configured.`;
  await expect(readHealth()).rejects.toMatchObject({ message: keyMessage });
  deps.reportUpstreams = () => [{ ...REFUSED_KEY_REPORT, state: "up", answeredAt: deps.clock.now() }];
  await expect(readHealth()).rejects.toMatchObject({ message });
});

describe("a verbose call", () => {
  const readVerbose = () => readHealth({ verbose: "" }, true);

  test("is refused to callers other than the operator, without an upstream call", async () => {
    await expect(readHealth({ verbose: "" })).rejects.toMatchObject({ code: "credentials_missing" });
    const liveProbe = readHealth({ verbose: "true", probe: "live" });
    await expect(liveProbe).rejects.toMatchObject({ code: "credentials_missing" });
    expect(deps.calls).toEqual([]);
    expect(await readHealth({}, true)).not.toHaveProperty("report");
  });

  test("answers with null for unknown values while every upstream fails", async () => {
    deps.isEnding = () => true;
    deps.beforeCall = failCalls("kv", "rpc", "prices");
    const { ready, report } = await readVerbose();
    const collectors = FEE_COLLECTORS.map((address) => ({ address, balanceLamports: null }));
    expect([ready, report]).toEqual([false, { upstreams: [], collectors, priceAgeMs: null }]);
  });
});
