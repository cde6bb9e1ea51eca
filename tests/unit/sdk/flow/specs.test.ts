import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Calls } from "@/lib/sdk/calls/calls";
import { findRemainingLegs } from "@/lib/sdk/flow/invest";
import { countSaved, createSaveSpec, type SaveBuild } from "@/lib/sdk/flow/save";
import { createWithdrawSpec, type WithdrawBuild } from "@/lib/sdk/flow/withdraw";

const wallet = bs58.encode(nacl.sign.keyPair().publicKey);

describe("findRemainingLegs", () => {
  const legs = [
    { asset: "BTC" as const, pct: 33.33 },
    { asset: "ETH" as const, pct: 33.33 },
    { asset: "USDC" as const, pct: 23.34 },
    { asset: "SOL" as const, pct: 10 },
  ];

  test("keeps the proportions of the remaining legs with a sum of exactly 100", () => {
    const remainingLegs = findRemainingLegs(legs, ["BTC"])!;
    expect(remainingLegs.map(({ asset }) => asset)).toEqual(["ETH", "USDC", "SOL"]);
    expect(remainingLegs.reduce((sum, { pct }) => sum + Math.round(pct * 100), 0)).toBe(10_000);
    expect(remainingLegs[1]!.pct).toBeCloseTo((23.34 / 66.67) * 100, 1);
  });

  test("returns null when only SOL is left", () => {
    expect(findRemainingLegs(legs, ["BTC", "ETH", "USDC"])).toBeNull();
  });
});

describe("createSaveSpec", () => {
  const spec = createSaveSpec(wallet, wallet, "sandbox");
  const purchases = Array.from({ length: 1_200 }, (_, i) => 3 + i / 100);
  const request = { purchases, plan: "tree" as const, through: "payment" };
  const breakdown = { roundUpUsd: 1 } as SaveBuild["breakdown"];

  test("saves more purchases than fit into one transaction in parts of at most 500", async () => {
    const requests: number[][] = [];
    const marks: (string | undefined)[] = [];
    const post = async (_path: string, body: { txValuesUsd: number[]; through?: string }) => {
      requests.push(body.txValuesUsd);
      marks.push(body.through);
      return { transaction: { base64: "" }, breakdown, affordable: true };
    };
    const done: Parameters<typeof spec.findRest>[1] = [];
    for (let rest = spec.findRest(request, done); rest; rest = spec.findRest(request, done)) {
      const build = await spec.build({ post } as unknown as Calls, rest);
      const [step] = spec.listSteps(build, rest);
      done.push({ label: "", txSignature: "", about: step!.about });
    }
    expect(requests.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(requests.flat()).toEqual(purchases);
    expect(marks, "only the last part marks the batch as saved").toEqual([undefined, undefined, "payment"]);
    expect(countSaved({ request, done })).toBe(1_200);
  });

  test("treats a saving that an older version recorded as a whole batch", () => {
    expect(spec.findRest(request, [{ label: "", txSignature: "", about: { breakdown } }])).toBeNull();
  });
});

describe("the build of a withdrawal", () => {
  const spec = createWithdrawSpec(wallet, "sandbox");
  const request = { destination: wallet, asset: null, amount: null };
  const refusal = new ApiError("simulation_failed", "It would fail now.", { status: 422 });
  /** Creates a service that gives the answers in turn and logs whether each request keeps the rent minimum. */
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

  test("keeps the rent minimum on request", async () => {
    const { calls, requestLog } = createService({ ready: true });
    expect(await spec.build(calls, request, true)).toEqual({ ready: true, keepsRentMinimum: true });
    expect(requestLog).toEqual([true]);
  });

  test("is repeated with the rent minimum if the service refuses its own build", async () => {
    const { calls, requestLog } = createService(refusal, { ready: true });
    expect(await spec.build(calls, request)).toEqual({ ready: true, keepsRentMinimum: true });
    expect(requestLog).toEqual([false, true]);
  });

  test("empties the wallet and reports the missing lamports if it cannot keep the rent minimum", async () => {
    const { calls, requestLog } = createService({ ready: false, missingLamports: 7 }, { ready: true });
    expect(await spec.build(calls, request, true)).toEqual({ ready: true, missingToKeep: 7 });
    expect(requestLog).toEqual([true, false]);
  });

  test("fails on any other error", async () => {
    const { calls, requestLog } = createService(new ApiError("upstream_unavailable", "Later.", { status: 503 }));
    await expect(spec.build(calls, request)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(requestLog).toEqual([false]);
  });
});

describe("the rest of a withdrawal", () => {
  const { findRest } = createWithdrawSpec(wallet, "sandbox");
  const btc = { asset: "BTC" as const, symbol: "BTC", mint: "m", decimals: 8 };
  const createSent = (amount: string, last: boolean) => [
    { label: "Take out BTC", txSignature: "s", about: { assets: [{ ...btc, amount }], last, empties: false } },
  ];

  test("is everything until the last transaction has landed", () => {
    const request = { destination: wallet, asset: null, amount: null };
    expect(findRest(request, createSent("5", false))).toEqual(request);
    expect(findRest(request, createSent("5", true))).toBeNull();
  });

  test("is the requested amount less the amount sent", () => {
    const request = { destination: wallet, asset: "BTC" as const, amount: "12" };
    expect(findRest(request, createSent("5", false))).toEqual({ ...request, amount: "7" });
    expect(findRest(request, createSent("12", false))).toBeNull();
  });
});

describe("the last step of a withdrawal", () => {
  const { listSteps } = createWithdrawSpec(wallet, "sandbox");
  const everything = { destination: wallet, asset: null, amount: null };
  const build = {
    transactions: [{ assets: [], transaction: "" }],
    complete: true,
    remainingLamports: 0,
    leftBehind: [],
    leftOut: [],
    costs: { tokenAccountDepositLamports: 2_039_280 },
  } as unknown as WithdrawBuild;
  const describeLastStep = (changes: Partial<WithdrawBuild>) =>
    listSteps({ ...build, ...changes }, everything).at(-1)!.about;

  test("empties the wallet when nothing stays", () => expect(describeLastStep({}).empties).toBe(true));

  test("records the deposit that it pays at the destination", () =>
    expect(describeLastStep({}).depositLamports).toBe(2_039_280));

  test("does not claim to empty a wallet with tokens that could not be read", () => {
    const leftOut = [{ account: null, reason: "The list of tokens is too long." }];
    expect(describeLastStep({ leftOut })).toMatchObject({ empties: false, leftOut });
  });
});
