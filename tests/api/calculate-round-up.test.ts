import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, inject, test } from "vitest";
import { healSandbox, stageFault } from "../support/chain/chain";
import { data, get, post } from "../support/client/client";

afterEach(healSandbox);

const headers = () => ({ "x-api-key": inject("doors").apiKey });
const ask = (body: Record<string, unknown>) => post("/api/roundup", body, { headers: headers() });

interface Example {
  request: Record<string, unknown>;
  to: number;
  up: number;
  percent: number;
  fee: number;
  invested: number;
  skipped?: boolean;
  capped?: boolean;
}

/** Computed by hand from the contract's arithmetic. */
const EXAMPLES: Example[] = [
  { request: { txValueUsd: 27.63 }, to: 27.7, up: 0.07, percent: 0.75, fee: 0.000525, invested: 0.069475 },
  { request: { txValueUsd: 27.63, plan: "seed" }, to: 27.65, up: 0.02, percent: 1, fee: 0.0002, invested: 0.0198 },
  { request: { txValueUsd: 27.63, plan: "tree" }, to: 28, up: 0.37, percent: 0.5, fee: 0.00185, invested: 0.36815 },
  {
    request: { txValueUsd: 27.63, plan: "forest" },
    to: 28,
    up: 0.37,
    percent: 0.25,
    fee: 0.000925,
    invested: 0.369075,
  },
  // Already a multiple, so nothing is invested.
  { request: { txValueUsd: 27.5, plan: "tree" }, to: 27.5, up: 0, percent: 0.5, fee: 0, invested: 0, skipped: true },
  { request: { txValueUsd: 0 }, to: 0, up: 0, percent: 0.75, fee: 0, invested: 0, skipped: true },
  // No double is exactly 0.1, 0.7 or 4.35. The results do not show the difference.
  { request: { txValueUsd: 0.1 + 0.2 }, to: 0.3, up: 0, percent: 0.75, fee: 0, invested: 0, skipped: true },
  { request: { txValueUsd: 0.7 }, to: 0.7, up: 0, percent: 0.75, fee: 0, invested: 0, skipped: true },
  { request: { txValueUsd: 4.35, plan: "seed" }, to: 4.35, up: 0, percent: 1, fee: 0, invested: 0, skipped: true },
  // The multiplier applies before the ceiling. The default ceiling is a dollar times the multiplier.
  {
    request: { txValueUsd: 27.63, plan: "tree", multiplier: 10 },
    to: 31.33,
    up: 3.7,
    percent: 0.5,
    fee: 0.0185,
    invested: 3.6815,
  },
  {
    request: { txValueUsd: 27.63, multiplier: 2, ceiling: 0.1 },
    to: 27.73,
    up: 0.1,
    percent: 0.75,
    fee: 0.00075,
    invested: 0.09925,
    capped: true,
  },
  // The ceiling cuts values above it, and leaves values equal to it.
  {
    request: { txValueUsd: 27.01, plan: "forest", ceiling: 0.5 },
    to: 27.51,
    up: 0.5,
    percent: 0.25,
    fee: 0.00125,
    invested: 0.49875,
    capped: true,
  },
  {
    request: { txValueUsd: 27.5, plan: "forest", ceiling: 0.5 },
    to: 28,
    up: 0.5,
    percent: 0.25,
    fee: 0.00125,
    invested: 0.49875,
  },
  // Custom increments pay the fee of the largest tier that does not exceed them.
  {
    request: { txValueUsd: 27.63, roundToUsd: 5 },
    to: 28.63,
    up: 1,
    percent: 0.25,
    fee: 0.0025,
    invested: 0.9975,
    capped: true,
  },
  {
    request: { txValueUsd: 27.63, roundToUsd: 5, ceiling: 100 },
    to: 30,
    up: 2.37,
    percent: 0.25,
    fee: 0.005925,
    invested: 2.364075,
  },
  {
    request: { txValueUsd: 27.63, roundToUsd: 0.99 },
    to: 27.72,
    up: 0.09,
    percent: 0.5,
    fee: 0.00045,
    invested: 0.08955,
  },
  {
    request: { txValueUsd: 27.63, roundToUsd: 0.25 },
    to: 27.75,
    up: 0.12,
    percent: 0.75,
    fee: 0.0009,
    invested: 0.1191,
  },
  { request: { txValueUsd: 27.64, roundToUsd: 0.03 }, to: 27.66, up: 0.02, percent: 1, fee: 0.0002, invested: 0.0198 },
  {
    request: { txValueUsd: 27.631, roundToUsd: 0.01 },
    to: 27.64,
    up: 0.009,
    percent: 1,
    fee: 0.00009,
    invested: 0.00891,
  },
  // Micro-dollars: the seventh decimal rounds half up, and the fee rounds down.
  { request: { txValueUsd: 27.6999994 }, to: 27.7, up: 0.000001, percent: 0.75, fee: 0, invested: 0.000001 },
  { request: { txValueUsd: 27.6999995 }, to: 27.7, up: 0, percent: 0.75, fee: 0, invested: 0, skipped: true },
  { request: { txValueUsd: 27.699867 }, to: 27.7, up: 0.000133, percent: 0.75, fee: 0, invested: 0.000133 },
  { request: { txValueUsd: 27.699866 }, to: 27.7, up: 0.000134, percent: 0.75, fee: 0.000001, invested: 0.000133 },
  { request: { txValueUsd: 1e-7, plan: "seed" }, to: 0, up: 0, percent: 1, fee: 0, invested: 0, skipped: true },
  // The largest values.
  {
    request: { txValueUsd: 1_000_000, plan: "forest" },
    to: 1e6,
    up: 0,
    percent: 0.25,
    fee: 0,
    invested: 0,
    skipped: true,
  },
  { request: { txValueUsd: 999_999.99 }, to: 1e6, up: 0.01, percent: 0.75, fee: 0.000075, invested: 0.009925 },
  {
    request: { txValueUsd: 0.01, roundToUsd: 100, ceiling: 100 },
    to: 100,
    up: 99.99,
    percent: 0.25,
    fee: 0.249975,
    invested: 99.740025,
  },
];

describe("200", () => {
  test.each(EXAMPLES)("rounds $request up by $up", async ({ request, to, up, percent, fee, invested, ...flags }) => {
    const answer = await data(ask(request));
    const { multiplier = 1 } = request;
    expect(answer).toEqual({
      txValueUsd: Math.round((request.txValueUsd as number) * 1e6) / 1e6,
      plan: "roundToUsd" in request ? null : (request.plan ?? "sprout"),
      roundToUsd:
        request.roundToUsd ?? { seed: 0.05, sprout: 0.1, tree: 0.5, forest: 1 }[String(request.plan ?? "sprout")],
      ceilingUsd: request.ceiling ?? (multiplier as number),
      multiplier,
      roundedToUsd: to,
      roundUpUsd: up,
      roundUpSol: expect.any(Number),
      serviceFeePercent: percent,
      serviceFeeUsd: fee,
      serviceFeeSol: expect.any(Number),
      userInvestmentUsd: invested,
      userInvestmentSol: expect.any(Number),
      roundUpLamports: expect.any(Number),
      serviceFeeLamports: expect.any(Number),
      userInvestmentLamports: expect.any(Number),
      solPriceUsd: expect.any(Number),
      skipped: flags.skipped ?? false,
      capped: flags.capped ?? false,
    });
    // Null would fail the match above.
    const lamports = (sol: number | null) => Math.round(sol! * 1e9);
    const total = lamports(answer.roundUpSol);
    expect(total).toBe(
      Number((BigInt(Math.round(up * 1e6)) * 10n ** 9n) / BigInt(Math.round(answer.solPriceUsd! * 1e6))),
    );
    expect(lamports(answer.serviceFeeSol)).toBe(Math.floor((total * percent) / 100));
    expect(lamports(answer.serviceFeeSol) + lamports(answer.userInvestmentSol)).toBe(total);
    const { roundUpLamports, serviceFeeLamports, userInvestmentLamports } = answer;
    expect([roundUpLamports, serviceFeeLamports, userInvestmentLamports]).toEqual(
      [answer.roundUpSol, answer.serviceFeeSol, answer.userInvestmentSol].map(lamports),
    );
  });

  test("prefers a custom increment over the plan in the same request", async () => {
    const answer = await data(ask({ txValueUsd: 1.01, plan: "seed", roundToUsd: 0.5 }));
    expect(answer).toMatchObject({ plan: null, roundToUsd: 0.5, serviceFeePercent: 0.5, roundUpUsd: 0.49 });
  });

  test("answers in dollars while the market fails", async () => {
    await data(get("/api/price"));
    await stageFault("/price/v3", "error");
    await stageFault("/swap/v2/build", "error");
    const answer = await data(ask({ txValueUsd: 27.63, plan: "tree" }));
    expect(answer).toMatchObject({ roundUpUsd: 0.37, serviceFeeUsd: 0.00185, userInvestmentUsd: 0.36815 });
  });

  test("answers in dollars while the chain fails", async () => {
    await stageFault("*", "error");
    expect((await data(ask({ txValueUsd: 27.63 }))).roundUpUsd).toBe(0.07);
  });
});

describe("400", () => {
  test.each([
    [{}, "txValueUsd"],
    [{ txValueUsd: -0.01 }, "txValueUsd"],
    [{ txValueUsd: 1_000_000.01 }, "txValueUsd"],
    [{ txValueUsd: "27.63" }, "txValueUsd"],
    [{ txValueUsd: null }, "txValueUsd"],
    [{ txValueUsd: 1, plan: "oak" }, "plan"],
    [{ txValueUsd: 1, plan: "Sprout" }, "plan"],
    [{ txValueUsd: 1, plan: null }, "plan"],
    [{ txValueUsd: 1, roundToUsd: 0.009 }, "roundToUsd"],
    [{ txValueUsd: 1, roundToUsd: 100.01 }, "roundToUsd"],
    [{ txValueUsd: 1, ceiling: 0 }, "ceiling"],
    [{ txValueUsd: 1, ceiling: -1 }, "ceiling"],
    [{ txValueUsd: 1, ceiling: 100.01 }, "ceiling"],
    [{ txValueUsd: 1, ceilingUsd: 1 }, "ceilingUsd"],
    [{ txValueUsd: 1, multiplier: 0 }, "multiplier"],
    [{ txValueUsd: 1, multiplier: 11 }, "multiplier"],
    [{ txValueUsd: 1, multiplier: 1.5 }, "multiplier"],
  ])("refuses %o for %s", async (request, path) => {
    const { status, body } = await ask(request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ ok: false, code: "invalid_request", issues: [{ path }] });
    expect(body?.error).toContain(path);
  });

  test("lists every fault of a request at once", async () => {
    const { body } = await ask({ txValueUsd: -1, plan: "oak", ceiling: 0 });
    expect(body?.issues?.map(({ path }) => path).sort()).toEqual(["ceiling", "plan", "txValueUsd"]);
  });
});

test("401: refuses calls without credentials", async () => {
  const { status, body } = await post("/api/roundup", { txValueUsd: 27.63 });
  expect([status, body?.code]).toEqual([401, "credentials_missing"]);
});

test("400: answers as /docs/errors shows", async () => {
  const { requestId: _, ...shown } = JSON.parse(await readFile("app/docs/_samples/refusal.json", "utf8"));
  const { status, body } = await ask({ txValueUsd: "27.63" });
  expect({ status, body }).toMatchObject({ status: 400, body: shown });
});
