import bs58 from "bs58";
import nacl from "tweetnacl";
import { expect, test } from "vitest";
import type { Calls } from "@/lib/sdk/calls/calls";
import { type CashOutBuild, type CashOutRequest, createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import type { FlowRecord } from "@/lib/sdk/flow/record";

const wallet = bs58.encode(nacl.sign.keyPair().publicKey);
const destination = bs58.encode(nacl.sign.keyPair().publicKey);
const spec = createCashOutSpec(wallet, "sandbox");
const request: CashOutRequest = { destination, into: "SOL", assets: ["BTC", "ETH"], slippageBps: 100 };
type Done = FlowRecord<CashOutRequest, { sold?: never; sent?: never }>["done"];

/** Creates a service that answers each sale with one transaction. @param eth overrides the answer for ETH */
function createService(eth: object = {}) {
  const requests: [string, Record<string, unknown>][] = [];
  const quote = { outputAmount: "2", minimumOutputAmount: "1" };
  const post = async (path: string, body: Record<string, unknown>) => {
    requests.push([path, body]);
    if (path === "/api/withdraw/build") return { ready: true, reason: null, transactions: [] };
    const sale = {
      ready: true,
      reason: null,
      transactions: [{ transaction: `${body.asset}`, inputAmount: "7", quote }],
    };
    return body.asset === "ETH" ? { ...sale, ...eth } : sale;
  };
  const get = async () => ({ prices: { SOL: 150, BTC: 100_000, ETH: 4_000 } });
  return { calls: { post, get } as unknown as Calls, requests };
}

const createLandedSteps = (abouts: object[]) =>
  abouts.map((about, i) => ({ label: "", txSignature: `${i}`, about })) as unknown as Done;

test("a cash-out sells all of each asset, and then withdraws everything to the address", async () => {
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
  const rest = spec.findRest(request, createLandedSteps([{ sold: { asset: "BTC" } }, { sold: { asset: "ETH" } }]))!;
  await spec.build(calls, rest);
  expect(requests.at(-1)).toEqual([
    "/api/withdraw/build",
    { serviceWalletPubkey: wallet, destination, all: true, network: "sandbox" },
  ]);
});

test("the sales depend on the prices of the assets and the target, and the withdrawal on none", async () => {
  const { calls } = createService();
  const build = await spec.build(calls, request);
  expect(spec.listPrices!(build)).toEqual({ SOL: 150, BTC: 100_000, ETH: 4_000 });
  expect(spec.listPrices!(await spec.build(calls, { ...request, assets: [] }))).toEqual({});
});

test("one impossible sale stops the whole cash-out with the reason", async () => {
  const { calls } = createService({ ready: false, reason: "No price.", transactions: [] });
  expect(await spec.build(calls, request)).toMatchObject({ ready: false, reason: "ETH: No price." });
});

test("a transaction that landed is not repeated, and the last withdrawal ends the cash-out", () => {
  expect(spec.findRest(request, createLandedSteps([{ sold: { asset: "BTC" } }]))).toEqual({
    ...request,
    assets: ["ETH"],
  });
  expect(spec.findRest(request, createLandedSteps([{ sent: { last: false } }]))).not.toBeNull();
  expect(spec.findRest(request, createLandedSteps([{ sent: { last: true } }]))).toBeNull();
});

test.each([
  ["everything leaves", {}, true],
  ["it takes more than one build", { complete: false }, false],
  ["a token stays", { leftBehind: [{}] }, false],
  ["something could not be read", { leftOut: [{}] }, false],
])("if %s (%j), the confirmation of the sales covers the withdrawal: %s", (_case, changed, agreed) => {
  const withdrawal = { complete: true, leftBehind: [], leftOut: [], ...changed };
  const build = { ready: true, reason: null, sales: [], withdrawal } as unknown as CashOutBuild;
  const record = { request, inFlight: null };
  expect(spec.isAgreed!(build, { ...record, done: createLandedSteps([{ sold: { asset: "BTC" } }]) })).toBe(agreed);
  expect(spec.isAgreed!(build, { ...record, done: [] }), "nothing is covered without a review").toBe(false);
  expect(
    spec.isAgreed!({ ...build, withdrawal: null }, { ...record, done: createLandedSteps([{}]) }),
    "a sale is never covered",
  ).toBe(false);
});
