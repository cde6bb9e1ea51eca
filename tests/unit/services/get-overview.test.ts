import { beforeEach, describe, expect, test } from "vitest";
import { getOverviewContract } from "../../../lib/contracts/get-overview";
import type { Pause } from "../../../lib/domain/pause";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import type { Caller } from "../../../lib/ports/request-context";
import { getActivity } from "../../../lib/services/get-activity";
import { getOverview } from "../../../lib/services/get-overview";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { getPrices } from "../../../lib/services/get-prices";
import { getSpending } from "../../../lib/services/get-spending";
import { callService } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSolAccount,
  type FakeDeps,
  failCalls,
  listCalls,
  runFor,
} from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { user } from "../../support/worlds/relay-rig";
import { stageSpending } from "../../support/worlds/spending-world";

const WALLET = toTestWallet("me").address;
const SERVICE_WALLET = toTestWallet("savings").address;

/** The fields of a summary that lists every payment of a wallet without savings. */
const COMPLETE_FIELDS = { savedThrough: null, isComplete: true, nextBefore: null };
const NONE_SMALL = { count: 0, sumUsd: 0 };
const KEY_CALLER: Caller = { kind: "static-key", wallet: null, keyId: "0" };

const readOverview = (deps: FakeDeps, query: object = { serviceWallet: SERVICE_WALLET }, caller: Caller = KEY_CALLER) =>
  callService(getOverviewContract, getOverview, deps, { address: WALLET, ...query }, { caller });

function stageWallets() {
  const deps = createFakeDeps();
  deps.chain.accounts.set(WALLET, createSolAccount(2_000_000_000n)).set(SERVICE_WALLET, createSolAccount(80_000_000n));
  for (const [walletIndex, wallet] of [WALLET, SERVICE_WALLET].entries()) {
    const unknownFields = { blockTime: null, error: "AccountInUse", memo: null };
    const createEntry = (i: number) => ({ signature: `${walletIndex + 1}${i}`, slot: 9 - i, ...unknownFields });
    deps.chain.history.set(wallet, [0, 1, 2, 3, 4, 5, 6].map(createEntry));
  }
  return deps;
}

let deps: FakeDeps;
beforeEach(() => {
  deps = stageWallets();
});

test("an overview returns the same parts as the single operations", async () => {
  const activity = await getActivity(deps, { address: SERVICE_WALLET, limit: 5 });
  expect(await readOverview(deps)).toEqual({
    walletAddress: WALLET,
    serviceWallet: SERVICE_WALLET,
    network: "sandbox",
    prices: await getPrices(deps),
    portfolio: await getPortfolio(deps, { address: WALLET }),
    savings: await getPortfolio(deps, { address: SERVICE_WALLET }),
    activity: activity.items,
    activityNextBefore: activity.nextBefore,
    spending: { ...COMPLETE_FIELDS, payments: 0, small: NONE_SMALL, totalUsd: 0, items: [], batches: [] },
    pauses: [],
    unavailable: [],
  });
  expect([activity.items.length, activity.nextBefore !== null]).toEqual([5, true]);
});

describe("the spending that is not saved yet", () => {
  test("is the sum of the batches, complete or not", async () => {
    const { deps, pay, serviceWallet } = await stageSpending();
    pay(27.63);
    pay(4.2);
    const readSummary = async () => (await readOverview(deps, { address: user.address, serviceWallet })).spending;
    const { items, batches, nextBefore } = await getSpending(deps, { address: user.address, serviceWallet });
    expect(nextBefore).toBeNull();
    expect(await readSummary()).toEqual({
      ...COMPLETE_FIELDS,
      payments: 2,
      small: NONE_SMALL,
      totalUsd: 31.83,
      items,
      batches,
    });
    deps.currentPrices = null;
    pay(1.5);
    expect(await readSummary()).toMatchObject({ payments: 2, totalUsd: 31.83, isComplete: false });
  });

  test("is null without credentials and costs no call", async () => {
    const { spending, activity, unavailable } = await readOverview(deps, {}, { kind: "public", wallet: null });
    expect([spending, activity!.length]).toEqual([null, 5]);
    expect(unavailable).toMatchObject([{ part: "spending", code: "credentials_missing" }]);
    expect(listCalls(deps).filter((name) => name === "rpc.readSignatures")).toHaveLength(1);
  });
});

test("an overview names what the operator has paused, with the reason", async () => {
  await deps.kv.set(STORE_KEYS.pause.toKey(), { parts: ["save"], reason: "new fee collectors" } satisfies Pause);
  expect((await readOverview(deps)).pauses).toEqual(["save paused by the operator: new fee collectors"]);
});

describe("an overview with a failing part", () => {
  test.each([
    ["readTokenHoldings", ["portfolio", "savings"]],
    ["readSignatures", ["activity", "spending"]],
    ["readCurrent", ["prices"]],
  ])("returns the other parts if %s fails", async (method, missingParts) => {
    deps.beforeCall = failCalls(method);
    const overview = await readOverview(deps);
    const failure = { code: "upstream_unavailable", reason: expect.stringMatching(/\w{3}.*\.$/) };
    expect(overview.unavailable).toEqual(missingParts.map((part) => ({ part, ...failure })));
    const parts = ["prices", "portfolio", "savings", "activity", "spending", "pauses"] as const;
    expect(parts.filter((part) => overview[part] === null)).toEqual(missingParts);
  });

  test("gives up a slow part after 4 of the request's 5 seconds", async () => {
    deps.beforeCall = ({ method }) => (method === "readSignatures" ? new Promise<void>(() => {}) : undefined);
    const { activity, savings, unavailable } = await runFor(4_000, deps, readOverview(deps));
    expect(activity).toBeNull();
    expect(savings).not.toBeNull();
    expect(unavailable.map(({ part, code }) => [part, code])).toEqual([
      ["activity", "upstream_timeout"],
      ["spending", "upstream_timeout"],
    ]);
  });
});
