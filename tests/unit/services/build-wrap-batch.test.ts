import fc from "fast-check";
import { expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { fromMicroUsd, toMicroUsd } from "../../../lib/domain/money";
import { PLAN_NAMES } from "../../../lib/domain/plans";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, type FakeDeps, FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const WALLETS = { userPubkey: toTestWallet("user").address, serviceWalletPubkey: toTestWallet("service").address };

const buildBatch = (deps: FakeDeps, txValuesUsd: number[], overrides: object = {}) =>
  callService(buildWrapBatchContract, buildWrapBatch, deps, { txValuesUsd, ...WALLETS, ...overrides });

const buildSingle = (deps: FakeDeps, txValueUsd: number, overrides: object = {}) =>
  callService(buildWrapContract, buildWrap, deps, { txValueUsd, ...WALLETS, ...overrides });

const anyPurchasesUsd = fc.array(
  fc.integer({ min: 0, max: 100_000_000 }).map((microUsd) => microUsd / 1e6),
  { minLength: 1, maxLength: 12 },
);
const anyTermFields = fc.record(
  {
    plan: fc.constantFrom(...PLAN_NAMES),
    ceiling: fc.constantFrom(0.05, 0.5, 1),
    multiplier: fc.integer({ min: 1, max: 10 }),
  },
  { requiredKeys: [] },
);

test("any batch rounds each payment like POST /api/wrap and splits the summed change into fee and investment", async () => {
  const property = fc.asyncProperty(anyPurchasesUsd, anyTermFields, async (purchasesUsd, fields) => {
    const { items, breakdown, instructions } = await buildBatch(createFakeDeps(), purchasesUsd, fields);
    expect(items).toHaveLength(purchasesUsd.length);
    let [valueMicroUsd, changeMicroUsd] = [0n, 0n];
    for (const [i, item] of items.entries()) {
      const singleBreakdown = (await buildSingle(createFakeDeps(), purchasesUsd[i]!, fields)).breakdown;
      const { txValueUsd, roundUpUsd, skipped, capped } = singleBreakdown;
      expect(item).toEqual({ txValueUsd, roundUpUsd, skipped, capped });
      valueMicroUsd += toMicroUsd(txValueUsd);
      changeMicroUsd += toMicroUsd(roundUpUsd);
    }
    expect(breakdown).toMatchObject({
      txValueUsd: fromMicroUsd(valueMicroUsd),
      roundUpUsd: fromMicroUsd(changeMicroUsd),
      roundedToUsd: fromMicroUsd(valueMicroUsd + changeMicroUsd),
      skipped: items.every(({ skipped }) => skipped),
      capped: items.some(({ capped }) => capped),
    });

    const { roundUpLamports, serviceFeeLamports, userInvestmentLamports, serviceFeePercent } = breakdown;
    // At 150 USD per SOL, a micro-dollar is 1,000 / 150 lamports.
    expect(roundUpLamports).toBe(Number((changeMicroUsd * 1_000n) / 150n));
    expect(serviceFeeLamports + userInvestmentLamports).toBe(roundUpLamports);
    expect(serviceFeeLamports).toBeLessThanOrEqual((roundUpLamports * serviceFeePercent) / 100);
    expect(instructions).toHaveLength(breakdown.skipped ? 0 : 2);
  });
  await fc.assert(property, { numRuns: 60 });
});

test("a batch of one purchase gets the same answer as POST /api/wrap, transaction bytes included", async () => {
  const deps = createFakeDeps();
  const { items: _, ...batchOfOne } = await buildBatch(deps, [27.63]);
  expect(batchOfOne).toEqual(await buildSingle(deps, 27.63));
});

test("`after` and `through` are accepted only together, `after` as a signature or the word none", () => {
  const parseFields = (fields: object) =>
    buildWrapBatchContract.body!.safeParse({ txValuesUsd: [1.5], ...WALLETS, ...fields });
  const through = "1".repeat(64);
  for (const fields of [{ after: through }, { through }])
    expect(parseFields(fields).error?.issues).toMatchObject([{ path: ["after"] }]);
  expect(parseFields({ after: "nothing", through }).error?.issues).toMatchObject([{ path: ["after"] }]);
  for (const after of ["none", through]) expect(parseFields({ after, through }).success).toBe(true);
});

test.each([
  ["the same wallet twice", { serviceWalletPubkey: WALLETS.userPubkey }, "wallets_equal"],
  ["a fee collector", { userPubkey: FEE_COLLECTORS[0] }, "wallet_not_allowed"],
])("a batch with %s is refused before any port is called", async (_, overrides, code) => {
  const deps = createFakeDeps();
  await expect(buildBatch(deps, [1.2], overrides)).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});
