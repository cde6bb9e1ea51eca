import { readFile } from "node:fs/promises";
import { expect, inject, test } from "vitest";
import { data, post } from "../support/client/client";

const headers = () => ({ "x-api-key": inject("apps").apiKey });
const calculate = (body: Record<string, unknown>) => post("/api/roundup", body, { headers: headers() });

// tests/unit/domain/round-up.test.ts holds the arithmetic for every plan, increment and ceiling.
test("200: returns amounts in dollars, SOL and lamports that add up", async () => {
  const answer = await data(calculate({ txValueUsd: 27.63 }));
  const { solPriceUsd, roundUpLamports, serviceFeeLamports, userInvestmentLamports } = answer;
  expect(answer).toEqual({
    txValueUsd: 27.63,
    plan: "sprout",
    roundToUsd: 0.1,
    ceilingUsd: 1,
    multiplier: 1,
    roundedToUsd: 27.7,
    roundUpUsd: 0.07,
    serviceFeePercent: 0.75,
    serviceFeeUsd: 0.000525,
    userInvestmentUsd: 0.069475,
    skipped: false,
    capped: false,
    solPriceUsd: expect.any(Number),
    roundUpLamports: Number((70_000n * 10n ** 9n) / BigInt(Math.round(solPriceUsd! * 1e6))),
    serviceFeeLamports: Math.floor(roundUpLamports! * 0.0075),
    userInvestmentLamports: roundUpLamports! - serviceFeeLamports!,
    roundUpSol: roundUpLamports! / 1e9,
    serviceFeeSol: serviceFeeLamports! / 1e9,
    userInvestmentSol: userInvestmentLamports! / 1e9,
  });
});

test("400: lists every invalid field at once", async () => {
  const { body } = await calculate({ txValueUsd: -1, plan: "oak", ceiling: 0 });
  expect(body?.issues?.map(({ path }) => path).sort()).toEqual(["ceiling", "plan", "txValueUsd"]);
});

test("400: returns the refusal that /docs/errors shows", async () => {
  const { requestId: _, ...shown } = JSON.parse(await readFile("app/docs/_samples/refusal.json", "utf8"));
  const { status, body } = await calculate({ txValueUsd: "27.63" });
  expect({ status, body }).toMatchObject({ status: 400, body: shown });
});
