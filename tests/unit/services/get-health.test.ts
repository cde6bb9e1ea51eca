import { expect, test } from "vitest";
import { getHealthContract } from "../../../lib/contracts/get-health";
import { PAUSE_KEY } from "../../../lib/domain/pause";
import { getHealth } from "../../../lib/services/get-health";
import { inputOf } from "../../support/contract-input";
import { type FakeDeps, FEE_COLLECTORS, fakeDeps, pricesAt, solAccount, unavailable } from "../../support/fake-deps";

const health = async (deps: FakeDeps, asked = {}) =>
  getHealthContract.data.parse(await getHealth(deps, inputOf(getHealthContract, asked)));

const degraded = async (deps: FakeDeps) =>
  (await health(deps)).degraded.map(({ part, reason }) => `${part}: ${reason}`);

test("ready, and nothing degraded", async () => {
  expect(await health(fakeDeps())).toEqual({ live: true, ready: true, network: "sandbox", degraded: [] });
});

test.each([
  ["blockHeight", "chain"],
  ["current", "prices"],
  ["get", "store"],
])("not ready where %s fails: it names the %s", async (failing, named) => {
  const deps = fakeDeps();
  deps.before = ({ method }) => {
    if (method === failing) throw unavailable();
  };
  await expect(health(deps)).rejects.toMatchObject({
    code: "upstream_unavailable",
    message: `Live, but not ready: ${named} did not answer.`,
  });
});

test("not ready from when the process is told to end, and live to the last", async () => {
  const deps = { ...fakeDeps(), isEnding: () => true };
  await expect(health(deps)).rejects.toMatchObject({ code: "service_not_ready" });
  expect((await health(deps, { probe: "live" })).live).toBe(true);
  expect(deps.calls).toEqual([]);
});

test("names every asset whose price builds nothing", async () => {
  const deps = fakeDeps();
  const { ETH: _, ...usd } = pricesAt(0).usd;
  deps.quoted.current = pricesAt(deps.clock.now(), { usd, doubts: { SOL: "jumped" } });
  expect(await degraded(deps)).toEqual([
    "prices: the price of ETH is missing; nothing is built with it",
    "prices: the price of SOL is jumped; nothing is built with it",
  ]);
});

test.each([
  ["silent", /does not answer/],
  ["unauthorised", /refuses its key/],
] as const)("a second price source that is %s degrades and does not stop", async (secondSource, reason) => {
  const deps = fakeDeps();
  deps.quoted.current = pricesAt(deps.clock.now(), { secondSource });
  expect(await degraded(deps)).toEqual([expect.stringMatching(reason)]);
});

test("counts the collectors that can take fees", async () => {
  const deps = fakeDeps();
  deps.chain.accounts.delete(FEE_COLLECTORS[1]!);
  expect(await degraded(deps)).toEqual(["collectors: only 2 of 3 are funded"]);
  for (const one of FEE_COLLECTORS) deps.chain.accounts.set(one, solAccount(1n));
  expect(await degraded(deps)).toEqual(["collectors: none of the 3 is funded, so nothing can be saved"]);
  deps.before = ({ method }) => {
    if (method === "accounts") throw unavailable();
  };
  expect(await degraded(deps)).toEqual(["collectors: they could not be read"]);
});

test("says what is paused, by the settings and live, and why", async () => {
  const deps = fakeDeps();
  deps.pause = { parts: ["invest"], reason: null };
  await deps.kv.set(PAUSE_KEY, { parts: ["save", "invest"], reason: "the venue is odd" });
  expect(await degraded(deps)).toEqual([
    "pause: invest paused by the operator",
    "pause: save and invest paused by the operator: the venue is odd",
  ]);
});
