import { describe, expect, test } from "vitest";
import { listAllocationFaults } from "@/lib/domain/allocations";
import { ASSETS, KNOWN_TOKENS } from "@/lib/domain/assets";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Calls } from "@/lib/sdk/calls/calls";
import { findRemainingAllocations } from "@/lib/sdk/flow/invest";
import { countSavedPurchases, createSaveSpec, type SaveBuild } from "@/lib/sdk/flow/save";
import { hasOutputFallenBelow } from "@/lib/sdk/flow/swaps";
import { createWithdrawSpec, type WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const wallet = toTestWallet("service").address;

describe("the rest of an investment", () => {
  const percents = { BTC: 33.33, ETH: 33.33, USDC: 23.34, SOL: 10 };
  const legs = Object.entries(percents).map(([asset, pct]) => ({ asset: asset as keyof typeof percents, pct }));

  test("keeps the proportions, with percents that sum to exactly 100", () => {
    const remaining = findRemainingAllocations({ allocations: legs }, ["BTC"])!;
    expect(remaining.map(({ asset }) => asset)).toEqual(["ETH", "USDC", "SOL"]);
    expect(listAllocationFaults(remaining)).toEqual([]);
    expect(remaining[1]!.pct).toBeCloseTo((23.34 / 66.67) * 100, 1);
  });

  test("includes the smallest leg that the service accepts", () => {
    const tinyLeg = { asset: "ETH" as const, pct: 0.000001 };
    const remaining = findRemainingAllocations({ allocations: [{ asset: "BTC", pct: 99.999999 }, tinyLeg] }, ["BTC"]);
    expect(remaining).toEqual([{ asset: "ETH", pct: 100 }]);
  });

  test("is null when only SOL is left, because SOL needs no swap", () => {
    expect(findRemainingAllocations({ allocations: legs }, ["BTC", "ETH", "USDC"])).toBeNull();
  });
});

describe("a saving", () => {
  const spec = createSaveSpec(wallet, wallet, "sandbox");
  const purchasesUsd = Array.from({ length: 1_200 }, (_, i) => 3 + i / 100);
  const request = { purchasesUsd, plan: "tree" as const, through: "payment" };
  const breakdown = { roundUpUsd: 1 } as SaveBuild["breakdown"];

  test("saves purchases in parts of at most 500, each purchase once and in order", async () => {
    const requests: { txValuesUsd: number[]; through?: string }[] = [];
    const post = async (_path: string, body: (typeof requests)[number]) => {
      requests.push(body);
      return { transaction: { base64: "" }, breakdown, affordable: true };
    };
    const done: Parameters<typeof spec.getRemainingRequest>[1] = [];
    for (let rest = spec.getRemainingRequest(request, done); rest; rest = spec.getRemainingRequest(request, done)) {
      const build = await spec.build({ post } as unknown as Calls, rest);
      done.push({ label: "", txSignature: "", about: spec.listSteps(build, rest)[0]!.about });
    }
    expect(requests.map(({ txValuesUsd }) => txValuesUsd.length)).toEqual([500, 500, 200]);
    expect(requests.flatMap(({ txValuesUsd }) => txValuesUsd)).toEqual(purchasesUsd);
    const marks = requests.map(({ through }) => through);
    expect(marks, "only the last part carries the mark").toEqual([undefined, undefined, "payment"]);
    expect(countSavedPurchases({ done })).toBe(1_200);
  });
});

describe("the build of a withdrawal", () => {
  const spec = createWithdrawSpec(wallet, "sandbox");
  const request = { destination: wallet, asset: null, amountBaseUnits: null };
  const refusal = new ApiError("simulation_failed", "It would fail now.", { status: 422 });
  /** Creates a service that gives these answers in turn, and logs `keepRentMinimum` of each request. */
  function createService(...answers: (object | Error)[]) {
    const requestLog: unknown[] = [];
    const post = async (_path: string, { keepRentMinimum }: { keepRentMinimum?: boolean }) => {
      requestLog.push(keepRentMinimum ?? false);
      const answer = answers[requestLog.length - 1]!;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { calls: { post } as unknown as Calls, requestLog };
  }

  const [READY, SHORTFALL] = [{ ready: true }, { ready: false, missingLamports: 7 }];
  const RENT_KEEPING_BUILD = { ...READY, keepsRentMinimum: true };
  const EXACT_BUILD = { ...READY, missingToKeep: 7 };
  test.each<[string, boolean, (object | Error)[], object, boolean[]]>([
    ["keeps the rent minimum when it expects transfers", true, [READY], RENT_KEEPING_BUILD, [true]],
    ["keeps the rent minimum after a refused exact build", false, [refusal, READY], RENT_KEEPING_BUILD, [false, true]],
    ["is exact if the wallet cannot keep the minimum", true, [SHORTFALL, READY], EXACT_BUILD, [true, false]],
  ])("%s", async (_title, expectsTransfers, answers, expectedBuild, expectedLog) => {
    const { calls, requestLog } = createService(...answers);
    expect(await spec.build(calls, request, expectsTransfers)).toEqual(expectedBuild);
    expect(requestLog).toEqual(expectedLog);
  });

  test("fails on any other error", async () => {
    const { calls, requestLog } = createService(new ApiError("upstream_unavailable", "Later.", { status: 503 }));
    await expect(spec.build(calls, request)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(requestLog).toEqual([false]);
  });
});

describe("the rest of a withdrawal", () => {
  const { getRemainingRequest } = createWithdrawSpec(wallet, "sandbox");
  const btc = { asset: "BTC" as const, symbol: "BTC", mint: ASSETS.BTC.mint, decimals: 8 };
  const createSentSteps = (amount: string, isLast: boolean) => [
    {
      label: "Take out BTC",
      txSignature: "s",
      about: { assets: [{ ...btc, amount }], last: isLast, empties: false, depositLamports: 0 },
    },
  ];

  test("covers everything until the last transaction has landed", () => {
    const request = { destination: wallet, asset: null, amountBaseUnits: null };
    expect(getRemainingRequest(request, createSentSteps("5", false))).toEqual(request);
    expect(getRemainingRequest(request, createSentSteps("5", true))).toBeNull();
  });

  test("is the requested amount less the sent amount", () => {
    const request = { destination: wallet, asset: "BTC" as const, amountBaseUnits: "12" };
    expect(getRemainingRequest(request, createSentSteps("5", false))).toEqual({ ...request, amountBaseUnits: "7" });
    expect(getRemainingRequest(request, createSentSteps("12", false))).toBeNull();
    const dollars = { asset: null, symbol: "PYUSD", ...KNOWN_TOKENS.PYUSD, amount: "5" };
    const about = { assets: [dollars], last: false, empties: false, depositLamports: 0 };
    const dollarRequest = { ...request, asset: "PYUSD" as const };
    const sentDollars = [{ label: "Take out PYUSD", txSignature: "s", about }];
    expect(getRemainingRequest(dollarRequest, sentDollars)).toEqual({ ...dollarRequest, amountBaseUnits: "7" });
  });
});

describe("the record of a withdrawal", () => {
  const { listSteps } = createWithdrawSpec(wallet, "sandbox");
  const everything = { destination: wallet, asset: null, amountBaseUnits: null };
  const build = {
    transactions: [{ assets: [], transaction: "", unsigned: { validForMs: 30_000 } }],
    complete: true,
    remainingLamports: 0,
    leftBehind: [],
    leftOut: [],
    costs: { tokenAccountDepositLamports: 2_039_280 },
  } as unknown as WithdrawBuild;
  const readLastRecord = (overrides: Partial<WithdrawBuild>) =>
    listSteps({ ...build, ...overrides }, everything).at(-1)!.about;

  test("says that the wallet is empty if nothing stays", () => expect(readLastRecord({}).empties).toBe(true));

  test("counts the deposit once, however many transactions pay it", () => {
    const [transaction] = build.transactions;
    const steps = listSteps({ ...build, transactions: [transaction!, transaction!] }, everything);
    expect(steps.map(({ about }) => about.depositLamports)).toEqual([0, 2_039_280]);
  });

  test("does not say that the wallet is empty if some tokens could not be read", () => {
    const leftOut = [{ account: null, reason: "The list of tokens is too long." }];
    expect(readLastRecord({ leftOut })).toMatchObject({ empties: false, leftOut });
  });
});

const createSwap = (inputAmount: number, minimumOutput: number, asset = "BTC") => ({
  asset,
  inputAmount: `${inputAmount}`,
  quote: { minimumOutputAmount: `${minimumOutput}` },
});

test.each<[string, boolean, ReturnType<typeof createSwap>]>([
  ["the same output for the same input", false, createSwap(1_000_000, 1_000_000)],
  ["0.1 % less output", false, createSwap(1_000_000, 999_000)],
  ["over 0.1 % less output", true, createSwap(1_000_000, 998_999)],
  ["more output at a worse price", true, createSwap(2_000_000, 1_500_000)],
  ["more output at the same price", false, createSwap(2_000_000, 2_000_000)],
  ["less output at the same price", true, createSwap(500_000, 500_000)],
  ["another asset", false, createSwap(1, 1, "ETH")],
])("the output of a swap with %s has fallen below that of the previous swap: %s", (_caseName, hasFallen, newSwap) => {
  expect(hasOutputFallenBelow([newSwap], [createSwap(1_000_000, 1_000_000)])).toBe(hasFallen);
});
