import { describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../../lib/contracts/build-swap";
import { buildWithdrawContract } from "../../../../lib/contracts/build-withdraw";
import { buildWrapContract } from "../../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../../lib/contracts/build-wrap-batch";
import { PAUSE_KEY, type PausableAction, type Pause } from "../../../../lib/domain/pause";
import { buildSwap } from "../../../../lib/services/build-swap";
import { buildWithdraw } from "../../../../lib/services/build-withdraw";
import { buildWrap } from "../../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../../lib/services/build-wrap-batch";
import { parseInput } from "../../../support/client/contract-input";
import { type FakeDeps, fakeDeps, solAccount } from "../../../support/fakes/fake-deps";
import { testWallet } from "../../../support/fixtures/test-wallets";

const service = testWallet("service wallet").address;
const user = testWallet("user").address;
const wallets = { userPubkey: user, serviceWalletPubkey: service };

const BUILDS: Record<string, (deps: FakeDeps) => Promise<unknown>> = {
  wrap: (deps) => buildWrap(deps, parseInput(buildWrapContract, { txValueUsd: 27.63, ...wallets })),
  batch: (deps) => buildWrapBatch(deps, parseInput(buildWrapBatchContract, { txValuesUsd: [27.63], ...wallets })),
  swap: (deps) => buildSwap(deps, parseInput(buildSwapContract, { serviceWalletPubkey: service })),
  withdraw: (deps) =>
    buildWithdraw(
      deps,
      parseInput(buildWithdrawContract, { serviceWalletPubkey: service, destination: user, all: true }),
    ),
};

function world(): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(service, solAccount(1_000_000_000n));
  return deps;
}

/** Of every build, what became of it. */
async function outcomes(deps: FakeDeps): Promise<Record<string, unknown>> {
  const names = Object.keys(BUILDS);
  const ends = await Promise.all(
    names.map((name) =>
      BUILDS[name]!(deps).then(
        () => "built",
        ({ code, message }) => `${code}: ${message}`,
      ),
    ),
  );
  return Object.fromEntries(names.map((name, i) => [name, ends[i]]));
}

const inSettings = async (deps: FakeDeps, pause: Pause) => {
  deps.pause = pause;
};
const live = (deps: FakeDeps, pause: Pause) => deps.kv.set(PAUSE_KEY, pause);

describe.each([
  ["in the settings", inSettings],
  ["live in the store", live],
])("a pause %s", (_where, pause) => {
  test.each<[PausableAction, string[]]>([
    ["save", ["wrap", "batch"]],
    ["invest", ["swap"]],
  ])("of %s stops only those builds, with the operator's reason", async (part, stopped) => {
    const deps = world();
    await pause(deps, { parts: [part], reason: "the venue is odd" });
    const ends = await outcomes(deps);
    for (const [name, end] of Object.entries(ends)) {
      if (stopped.includes(name)) expect(end, name).toMatch(/^service_not_ready: .*paused.*the venue is odd$/);
      else expect(end, name).toBe("built");
    }
  });

  test("of both does not stop the withdrawal", async () => {
    const deps = world();
    await pause(deps, { parts: ["save", "invest"], reason: null });
    const built = Object.entries(await outcomes(deps)).filter(([, end]) => end === "built");
    expect(built.map(([name]) => name)).toEqual(["withdraw"]);
  });
});

test("ends at once when it is lifted in the store, but not if the settings set it", async () => {
  const deps = world();
  await live(deps, { parts: ["save", "invest"], reason: null });
  await deps.kv.delete(PAUSE_KEY);
  expect(Object.values(await outcomes(deps)).every((end) => end === "built")).toBe(true);
  await inSettings(deps, { parts: ["save"], reason: null });
  expect((await outcomes(deps)).wrap).toMatch(/^service_not_ready/);
});
