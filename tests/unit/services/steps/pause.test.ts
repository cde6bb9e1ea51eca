import { describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../../lib/contracts/build-swap";
import { buildTopupContract } from "../../../../lib/contracts/build-topup";
import { buildWithdrawContract } from "../../../../lib/contracts/build-withdraw";
import { buildWrapContract } from "../../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../../lib/contracts/build-wrap-batch";
import type { PausableAction, Pause } from "../../../../lib/domain/pause";
import { STORE_KEYS } from "../../../../lib/domain/store-keys";
import type { AppError } from "../../../../lib/errors";
import { buildSwap } from "../../../../lib/services/build-swap";
import { buildTopup } from "../../../../lib/services/build-topup";
import { buildWithdraw } from "../../../../lib/services/build-withdraw";
import { buildWrap } from "../../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../../lib/services/build-wrap-batch";
import { callService } from "../../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps } from "../../../support/fakes/fake-deps";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const service = toTestWallet("service wallet").address;
const user = toTestWallet("user").address;
const wallets = { userPubkey: user, serviceWalletPubkey: service };

const withdrawal = { serviceWalletPubkey: service, destination: user, all: true };

const BUILDS: Record<string, (deps: FakeDeps) => Promise<unknown>> = {
  wrap: (deps) => callService(buildWrapContract, buildWrap, deps, { txValueUsd: 27.63, ...wallets }),
  batch: (deps) => callService(buildWrapBatchContract, buildWrapBatch, deps, { txValuesUsd: [27.63], ...wallets }),
  "top-up": (deps) => callService(buildTopupContract, buildTopup, deps, { amountUsd: 5, ...wallets }),
  swap: (deps) => callService(buildSwapContract, buildSwap, deps, { serviceWalletPubkey: service }),
  "swap of USDC": (deps) =>
    callService(buildSwapContract, buildSwap, deps, { serviceWalletPubkey: service, payWith: "USDC" }),
  withdraw: (deps) => callService(buildWithdrawContract, buildWithdraw, deps, withdrawal),
};

function stageWallets(): FakeDeps {
  const deps = createFakeDeps();
  deps.chain.accounts.set(service, createSolAccount(1_000_000_000n));
  return deps;
}

/** Runs every build. Returns "built" or the failure by the build's name. */
async function runBuilds(deps: FakeDeps): Promise<Record<string, unknown>> {
  const describeFailure = ({ code, message }: AppError) => `${code}: ${message}`;
  const outcomes = Object.entries(BUILDS).map(async ([name, build]) => [
    name,
    await build(deps).then(() => "built", describeFailure),
  ]);
  return Object.fromEntries(await Promise.all(outcomes));
}

const pauseInSettings = async (deps: FakeDeps, pause: Pause) => {
  deps.pause = pause;
};
const pauseInStore = (deps: FakeDeps, pause: Pause) => deps.kv.set(STORE_KEYS.pause.toKey(), pause);

describe.each([
  ["in the settings", pauseInSettings],
  ["in the store", pauseInStore],
])("a pause %s", (_where, pause) => {
  test.each<[PausableAction, string[]]>([
    ["save", ["wrap", "batch", "top-up"]],
    ["invest", ["swap", "swap of USDC"]],
  ])("of %s stops only its builds, with the operator's reason", async (part, stoppedBuilds) => {
    const deps = stageWallets();
    await pause(deps, { parts: [part], reason: "the venue is odd" });
    const outcomes = await runBuilds(deps);
    for (const [name, outcome] of Object.entries(outcomes)) {
      if (stoppedBuilds.includes(name))
        expect(outcome, name).toMatch(/^service_not_ready: .*paused.*the venue is odd$/);
      else expect(outcome, name).toBe("built");
    }
  });
});

test("a pause ends at once when it is lifted in the store", async () => {
  const deps = stageWallets();
  await pauseInStore(deps, { parts: ["save", "invest"], reason: null });
  await deps.kv.delete(STORE_KEYS.pause.toKey());
  expect(Object.values(await runBuilds(deps)).every((outcome) => outcome === "built")).toBe(true);
  await pauseInSettings(deps, { parts: ["save"], reason: null });
  expect((await runBuilds(deps)).wrap).toMatch(/^service_not_ready/);
});
