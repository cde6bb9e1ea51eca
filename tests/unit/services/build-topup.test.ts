import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { type RequestedTopup, verifyTopup } from "../../../lib/sdk/verify/wrap";
import { buildTopup } from "../../../lib/services/build-topup";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps, setPrices } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const user = toTestWallet("user").address;
const service = toTestWallet("service wallet").address;
const WALLETS = { userPubkey: user, serviceWalletPubkey: service };

function stageRichWallets(): FakeDeps {
  const deps = createFakeDeps();
  deps.chain.accounts.set(user, createSolAccount(10n ** 12n));
  deps.chain.accounts.set(service, createSolAccount(10n ** 9n));
  return deps;
}

const requestTopup = (deps: FakeDeps, fields: object = {}) =>
  callService(buildTopupContract, buildTopup, deps, { amountUsd: 5, ...WALLETS, ...fields });

const TERMS: RequestedTopup = { wallet: user, serviceWallet: service, amountUsd: 5 };

test("any amount is saved with a fee of 0.25 % that the client verifies in the bytes", async () => {
  const anyCents = fc.integer({ min: 50, max: 1_000_000 });
  const property = fc.asyncProperty(anyCents, fc.constantFrom(undefined, "2026-W47"), async (amountCents, period) => {
    const amountUsd = amountCents / 100;
    const answer = await requestTopup(stageRichWallets(), { amountUsd, ...(period && { period }) });
    const { breakdown } = answer;
    expect(breakdown).toMatchObject({ txValueUsd: 0, roundedToUsd: amountUsd, roundUpUsd: amountUsd, skipped: false });
    expect(breakdown.roundUpLamports).toBe(Number((BigInt(amountCents) * 10_000_000n) / 150n));
    expect(breakdown.serviceFeeLamports).toBe(Math.floor(breakdown.roundUpLamports / 400));
    expect(breakdown.serviceFeeLamports + breakdown.userInvestmentLamports).toBe(breakdown.roundUpLamports);
    const memo = period && `roundup:1:topup:${period}`;
    expect(verifyTopup(answer, { ...TERMS, amountUsd, memo }).roundUpUsd).toBe(amountUsd);
  });
  await fc.assert(property);
});

test("400: a week is refused from one week after its end, but a period with another name never", async () => {
  const deps = stageRichWallets();
  const closeTimeMs = Date.parse("2026-11-30T00:00:00Z");
  await deps.clock.advance(closeTimeMs - 1 - deps.clock.now());
  setPrices(deps);
  for (const period of ["2026-W47", "w1"]) expect((await requestTopup(deps, { period })).affordable).toBe(true);
  await deps.clock.advance(1);
  expect((await requestTopup(deps, { period: "w1" })).affordable).toBe(true);
  await expect(requestTopup(deps, { period: "2026-W47" })).rejects.toMatchObject({
    code: "invalid_request",
    details: { issues: [{ path: "period" }] },
  });
});

test("two equal wallets are refused before any port is called", async () => {
  const deps = createFakeDeps();
  const pending = requestTopup(deps, { serviceWalletPubkey: user });
  await expect(pending).rejects.toMatchObject({ code: "wallets_equal" });
  expect(deps.calls).toEqual([]);
});
