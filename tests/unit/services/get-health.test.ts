import { describe, expect, test } from "vitest";
import { getHealthContract } from "../../../lib/contracts/get-health";
import { PAUSE_KEY } from "../../../lib/domain/pause";
import { getHealth } from "../../../lib/services/get-health";
import { parseInput } from "../../support/client/contract-input";
import {
  type FakeDeps,
  FEE_COLLECTORS,
  failCalls,
  fakeDeps,
  outage,
  pricesAt,
  runFor,
  solAccount,
} from "../../support/fakes/fake-deps";

const health = async (deps: FakeDeps, request = {}, operator = false) =>
  getHealthContract.data.parse(
    await getHealth(deps, parseInput(getHealthContract, request), { isOperator: () => operator }),
  );

const listDegraded = async (deps: FakeDeps) =>
  (await health(deps)).degraded.map(({ part, reason }) => `${part}: ${reason}`);

test("a healthy service is ready with nothing degraded", async () => {
  expect(await health(fakeDeps())).toEqual({ live: true, ready: true, network: "sandbox", degraded: [] });
});

test.each([
  ["readBlockHeight", "chain"],
  ["readCurrent", "prices"],
  ["get", "store"],
])("the service is not ready while %s fails, and its message names the %s", async (failing, partName) => {
  const deps = fakeDeps();
  deps.before = failCalls(failing);
  await expect(health(deps)).rejects.toMatchObject({
    code: "upstream_unavailable",
    message: `Live, but not ready: ${partName} did not answer.`,
  });
});

test("the service is live but not ready while its process shuts down", async () => {
  const deps = { ...fakeDeps(), isEnding: () => true };
  await expect(health(deps)).rejects.toMatchObject({ code: "service_not_ready" });
  expect((await health(deps, { probe: "live" })).live).toBe(true);
  expect(deps.calls).toEqual([]);
});

test("each asset without a usable price is named as degraded", async () => {
  const deps = fakeDeps();
  const { ETH: _, ...usd } = pricesAt(0).usd;
  deps.quoted.current = pricesAt(deps.clock.now(), { usd, doubts: { SOL: "jumped" } });
  expect(await listDegraded(deps)).toEqual([
    "prices: the price of ETH is missing; nothing is built with it",
    "prices: the price of SOL is jumped; nothing is built with it",
  ]);
});

test.each([
  ["silent", /does not answer/],
  ["unauthorised", /refuses its key/],
] as const)(
  "a second price source that is %s is reported as degraded, and the service stays ready",
  async (secondSource, reason) => {
    const deps = fakeDeps();
    deps.quoted.current = pricesAt(deps.clock.now(), { secondSource });
    expect(await listDegraded(deps)).toEqual([expect.stringMatching(reason)]);
  },
);

test("collectors that cannot receive fees are reported as degraded", async () => {
  const deps = fakeDeps();
  deps.chain.accounts.delete(FEE_COLLECTORS[1]!);
  expect(await listDegraded(deps)).toEqual(["collectors: only 2 of 3 are funded"]);
  for (const collector of FEE_COLLECTORS) deps.chain.accounts.set(collector, solAccount(1n));
  expect(await listDegraded(deps)).toEqual(["collectors: none of the 3 is funded, so nothing can be saved"]);
  deps.before = failCalls("readAccounts");
  expect(await listDegraded(deps)).toEqual(["collectors: they could not be read"]);
});

test("actions paused in the settings or in the store are reported with the reason", async () => {
  const deps = fakeDeps();
  deps.pause = { parts: ["invest"], reason: null };
  await deps.kv.set(PAUSE_KEY, { parts: ["save", "invest"], reason: "the venue is odd" });
  expect(await listDegraded(deps)).toEqual([
    "pause: invest paused by the operator",
    "pause: save and invest paused by the operator: the venue is odd",
  ]);
});

test("an upstream that hangs is named within four seconds", async () => {
  const deps = fakeDeps();
  deps.before = ({ method }) => (method === "readBlockHeight" ? new Promise(() => {}) : undefined);
  await expect(runFor(4_000, deps, health(deps))).rejects.toMatchObject({
    message: "Live, but not ready: chain did not answer.",
  });
});

describe("the readiness probe", () => {
  const readReadiness = (deps: FakeDeps) => health(deps, { probe: "ready" });

  test("stays ready without a call to nodes, market or prices", async () => {
    const deps = fakeDeps();
    deps.before = ({ port }) => {
      if (port !== "kv") throw outage();
    };
    const node = { name: "read node 1", lagSlots: null, answeredAt: null, lastFault: "timeout" } as const;
    deps.reportUpstreams = () => [
      { ...node, state: "failing" },
      { ...node, name: "read node 2", state: "up" },
      { ...node, name: "read node 3", state: "busy" },
    ];
    await deps.kv.set(PAUSE_KEY, { parts: ["save"], reason: null });
    deps.calls.length = 0;
    expect(await readReadiness(deps)).toEqual({
      live: true,
      ready: true,
      network: "sandbox",
      degraded: [
        { part: "upstream", reason: "read node 1: failing" },
        { part: "pause", reason: "save paused by the operator" },
      ],
    });
    expect(new Set(deps.calls.map(({ port }) => port))).toEqual(new Set(["kv"]));
  });

  test("is refused if the store fails or hangs or the process shuts down", async () => {
    const message = "Live, but not ready: store did not answer.";
    const failing = fakeDeps();
    failing.before = failCalls("ping");
    await expect(readReadiness(failing)).rejects.toMatchObject({ code: "upstream_unavailable", message });
    const hanging = fakeDeps();
    hanging.before = ({ method }) => (method === "ping" ? new Promise(() => {}) : undefined);
    await expect(runFor(4_000, hanging, readReadiness(hanging))).rejects.toMatchObject({ message });
    const ending = { ...fakeDeps(), isEnding: () => true };
    await expect(readReadiness(ending)).rejects.toMatchObject({ code: "service_not_ready" });
  });
});

const refusedKey = { name: "jupiter", state: "failing", lagSlots: null, lastFault: "key_refused" } as const;

test("a refused key of the price source is reported before and after the old prices become unusable", async () => {
  const deps = fakeDeps();
  deps.reportUpstreams = () => [{ ...refusedKey, answeredAt: null }];
  const reason = "prices: jupiter refuses the key that is configured; prices grow old and nothing is swapped";
  expect(await listDegraded(deps)).toEqual([reason]);
  deps.quoted.current = null;
  await expect(health(deps)).rejects.toMatchObject({
    message: "Live, but not ready: prices did not answer. jupiter refuses the key that is configured.",
  });
  deps.reportUpstreams = () => [{ ...refusedKey, state: "up", answeredAt: deps.clock.now() }];
  await expect(health(deps)).rejects.toMatchObject({ message: "Live, but not ready: prices did not answer." });
});

describe("a verbose call", () => {
  const readVerbose = (deps: FakeDeps) => health(deps, { verbose: "" }, true);

  test("is refused to other callers than the operator without an upstream call", async () => {
    const deps = fakeDeps();
    await expect(health(deps, { verbose: "" })).rejects.toMatchObject({ code: "credentials_missing" });
    await expect(health(deps, { verbose: "true", probe: "live" })).rejects.toMatchObject({
      code: "credentials_missing",
    });
    expect(deps.calls).toEqual([]);
    expect(await health(deps, {}, true)).not.toHaveProperty("report");
  });

  test("reports each upstream's last answer and failure, the collectors and the age of the price", async () => {
    const deps = fakeDeps();
    const node = { name: "read node 2", state: "lagging", lagSlots: 31, lastFault: "lagging" } as const;
    deps.reportUpstreams = () => [
      { ...node, answeredAt: deps.clock.now() - 1_500 },
      { ...refusedKey, answeredAt: null },
    ];
    deps.chain.accounts.delete(FEE_COLLECTORS[1]!);
    await deps.clock.advance(2_000);
    const { report, ready } = await readVerbose(deps);
    expect([ready, report!.priceAgeMs]).toEqual([true, 2_000]);
    expect(report!.upstreams).toEqual([
      { name: "read node 2", state: "lagging", lagSlots: 31, lastAnswerAgeMs: 1_500, lastError: "lagging" },
      { name: "jupiter", state: "failing", lagSlots: null, lastAnswerAgeMs: null, lastError: "key_refused" },
    ]);
    expect(report!.collectors.map(({ balanceLamports }) => balanceLamports)).toEqual([1_300_480, 0, 1_300_480]);
  });

  test("answers with null for unknown values while every upstream fails", async () => {
    const deps = Object.assign(fakeDeps(), { isEnding: () => true });
    deps.before = () => {
      throw outage();
    };
    const { ready, report } = await readVerbose(deps);
    const collectors = FEE_COLLECTORS.map((address) => ({ address, balanceLamports: null }));
    expect([ready, report]).toEqual([false, { upstreams: [], collectors, priceAgeMs: null }]);
  });
});
