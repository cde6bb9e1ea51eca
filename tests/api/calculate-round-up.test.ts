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

/** Computed by hand. tests/unit/domain/round-up.test.ts holds the arithmetic for every plan, increment and ceiling. */
const EXAMPLES: Example[] = [
  { request: { txValueUsd: 27.63 }, to: 27.7, up: 0.07, percent: 0.75, fee: 0.000525, invested: 0.069475 },
  // No double is exactly 0.3. The result does not show the difference.
  { request: { txValueUsd: 0.1 + 0.2 }, to: 0.3, up: 0, percent: 0.75, fee: 0, invested: 0, skipped: true },
  // The multiplier applies before the ceiling. The default ceiling is a dollar times the multiplier.
  {
    request: { txValueUsd: 27.63, plan: "tree", multiplier: 10 },
    ...{ to: 31.33, up: 3.7, percent: 0.5, fee: 0.0185, invested: 3.6815 },
  },
  // A custom increment replaces the plan. It pays the fee of the largest tier that does not exceed it.
  {
    request: { txValueUsd: 27.63, plan: "seed", roundToUsd: 5 },
    ...{ to: 28.63, up: 1, percent: 0.25, fee: 0.0025, invested: 0.9975, capped: true },
  },
  // Micro-dollars: the seventh decimal rounds half up, and the fee rounds down.
  { request: { txValueUsd: 27.6999994 }, to: 27.7, up: 0.000001, percent: 0.75, fee: 0, invested: 0.000001 },
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
  test("lists every fault of a request at once", async () => {
    const { body } = await ask({ txValueUsd: -1, plan: "oak", ceiling: 0 });
    expect(body?.issues?.map(({ path }) => path).sort()).toEqual(["ceiling", "plan", "txValueUsd"]);
  });
});

test("400: answers as /docs/errors shows", async () => {
  const { requestId: _, ...shown } = JSON.parse(await readFile("app/docs/_samples/refusal.json", "utf8"));
  const { status, body } = await ask({ txValueUsd: "27.63" });
  expect({ status, body }).toMatchObject({ status: 400, body: shown });
});
