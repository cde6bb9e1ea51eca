import { expect, test } from "vitest";
import type { Calls } from "@/lib/sdk/calls/calls";
import { type CashOutBuild, type CashOutRequest, createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import type { FlowRecord } from "@/lib/sdk/flow/record";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const [wallet, destination] = ["service", "main"].map((label) => toTestWallet(label).address) as [string, string];
const spec = createCashOutSpec(wallet, "sandbox");
const request: CashOutRequest = { destination, into: "SOL", assets: ["BTC", "ETH"], slippageBps: 100 };
type LandedSteps = FlowRecord<CashOutRequest, { sold?: never; sent?: never }>["done"];

/** Creates a service that answers each sale with one transaction. `ethAnswer` changes the answer for ETH. */
function createService(ethAnswer: object = {}) {
  const requests: [string, Record<string, unknown>][] = [];
  const quote = { outputAmount: "2", minimumOutputAmount: "1" };
  const post = async (path: string, body: Record<string, unknown>) => {
    requests.push([path, body]);
    if (path === "/api/withdraw/build") return { ready: true, reason: null, transactions: [] };
    const transactions = [{ transaction: `${body.asset}`, unsigned: { validForMs: 30_000 }, inputAmount: "7", quote }];
    const sale = { ready: true, reason: null, transactions };
    return body.asset === "ETH" ? { ...sale, ...ethAnswer } : sale;
  };
  const get = async () => ({ prices: { SOL: 150, BTC: 100_000, ETH: 4_000 } });
  return { calls: { post, get } as unknown as Calls, requests };
}

const createLandedSteps = (...abouts: object[]) =>
  abouts.map((about, i) => ({ label: "", txSignature: `${i}`, about })) as unknown as LandedSteps;

test("the flow sells all of every asset before it withdraws to the destination", async () => {
  const { calls, requests } = createService();
  const build = await spec.build(calls, request);
  const steps = spec.listSteps(build, request);
  expect(steps.map(({ transaction, about }) => [transaction, about.sold?.amount])).toEqual([
    ["BTC", "7"],
    ["ETH", "7"],
  ]);
  expect(requests.map(([path, { asset, all, into }]) => [path, asset, all, into])).toEqual([
    ["/api/swap/sell", "BTC", true, "SOL"],
    ["/api/swap/sell", "ETH", true, "SOL"],
  ]);
  const landedSteps = createLandedSteps({ sold: { asset: "BTC" } }, { sold: { asset: "ETH" } });
  await spec.build(calls, spec.getRemainingRequest(request, landedSteps)!);
  expect(requests.at(-1)).toEqual([
    "/api/withdraw/build",
    { serviceWalletPubkey: wallet, destination, all: true, network: "sandbox" },
  ]);
});

test("the flow checks the prices of the sold and bought assets, and no price for the withdrawal", async () => {
  const { calls } = createService();
  const build = await spec.build(calls, request);
  expect(spec.listPrices!(build)).toEqual({ SOL: 150, BTC: 100_000, ETH: 4_000 });
  expect(spec.listPrices!(await spec.build(calls, { ...request, assets: [] }))).toEqual({});
});

test("the flow refuses the whole cash-out if one sale is impossible", async () => {
  const { calls } = createService({ ready: false, reason: "No price.", transactions: [] });
  expect(await spec.build(calls, request)).toMatchObject({ ready: false, reason: "ETH: No price." });
});

test("the flow needs no sale that has landed, and nothing after the last withdrawal", () => {
  const getRemainingRequest = (about: object) => spec.getRemainingRequest(request, createLandedSteps(about));
  expect(getRemainingRequest({ sold: { asset: "BTC" } })).toEqual({ ...request, assets: ["ETH"] });
  expect(getRemainingRequest({ sent: { last: false } })).not.toBeNull();
  expect(getRemainingRequest({ sent: { last: true } })).toBeNull();
});

test.each([
  ["it empties the wallet", {}, true],
  ["it needs several builds", { complete: false }, false],
  ["a token stays", { leftBehind: [{}] }, false],
  ["some tokens could not be read", { leftOut: [{}] }, false],
])(
  "the confirmation of the sales covers the withdrawal only if it empties the wallet: %s",
  (_caseName, overrides, isCoveredByReview) => {
    const withdrawal = { complete: true, leftBehind: [], leftOut: [], ...overrides };
    const build = { ready: true, reason: null, sales: [], withdrawal } as unknown as CashOutBuild;
    const record = { request, inFlight: null, done: createLandedSteps({ sold: { asset: "BTC" } }) };
    expect(spec.isCoveredByReview!(build, record)).toBe(isCoveredByReview);
    expect(
      spec.isCoveredByReview!(build, { ...record, done: [] }),
      "nothing was confirmed before the first review",
    ).toBe(false);
    expect(spec.isCoveredByReview!({ ...build, withdrawal: null }, record), "a sale needs its own review").toBe(false);
  },
);
