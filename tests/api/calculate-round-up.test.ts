import { expect, inject, test } from "vitest";
import { post, readData } from "../support/client/client";
import { readFence } from "../support/fences";

const postRoundUp = (body: Record<string, unknown>) =>
  post("/api/roundup", body, { headers: { "x-api-key": inject("apps").apiKey } });

// tests/unit/domain/round-up.test.ts holds the arithmetic for every plan, increment and ceiling.
test("200: returns amounts in dollars, SOL and lamports that add up", async () => {
  const answer = await readData(postRoundUp({ txValueUsd: 27.63 }));
  const roundUpLamports = Number((70_000n * 10n ** 9n) / BigInt(Math.round(answer.solPriceUsd! * 1e6)));
  const serviceFeeLamports = Math.floor(roundUpLamports * 0.0075);
  const userInvestmentLamports = roundUpLamports - serviceFeeLamports;
  expect(answer).toMatchObject({
    plan: "sprout",
    roundedToUsd: 27.7,
    roundUpUsd: 0.07,
    serviceFeeUsd: 0.000525,
    userInvestmentUsd: 0.069475,
    roundUpLamports,
    serviceFeeLamports,
    userInvestmentLamports,
    roundUpSol: roundUpLamports / 1e9,
    serviceFeeSol: serviceFeeLamports / 1e9,
    userInvestmentSol: userInvestmentLamports / 1e9,
  });
});

test("400: returns the refusal that /docs/errors shows", async () => {
  const { requestId: _, ...shownRefusal } = JSON.parse(readFence("docs/guides/errors.md", "json"));
  const { status, body } = await postRoundUp({ txValueUsd: "27.63" });
  expect({ status, body }).toMatchObject({ status: 400, body: shownRefusal });
});
