import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { getActivity } from "@/lib/services/get-activity";
import { TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";
import { ONE_SOL, putTokens } from "../../support/chain/sandbox-rig";
import { createStagedPrices, FEE_COLLECTORS, PRICES_USD } from "../../support/fakes/fake-deps";
import { buildTransaction, user } from "../../support/worlds/relay-rig";
import { card, stageAllowance, toUnits, userUsdc } from "../../support/worlds/usdc-world";

/* An allowance, and savings by it, on the sandbox's real Token program. */

let world: Awaited<ReturnType<typeof stageAllowance>>;
beforeEach(async () => {
  world = await stageAllowance();
});

const readLamports = (address: string) => world.chain.getAccount(address)?.lamports ?? 0n;

describe("the build", () => {
  test("gives a new service wallet its rent minimum, 20 network fees and its USDC account, and pays the fee of it", async () => {
    const { breakdown, affordable } = await world.build(25);
    const rentLamports = Number(world.chain.computeRentExemptMinimum(0));
    expect(breakdown).toMatchObject({
      amountUsd: 25,
      amountUnits: "25000000",
      reserveLamports: rentLamports + 20 * 5_000,
      serviceFeeLamports: 250,
      tokenAccountDepositLamports: Number(world.chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES)),
    });
    expect(affordable).toBe(true);
    const userLamports = readLamports(user.address);
    const collectorLamports = readLamports(breakdown.feeCollector!);
    expect(await world.allow(25)).toMatchObject({ confirmed: true });
    expect(userLamports - readLamports(user.address)).toBe(BigInt(breakdown.totalLamports));
    expect(readLamports(breakdown.feeCollector!) - collectorLamports).toBe(250n);
    expect(readLamports(world.serviceWallet.address)).toBe(BigInt(breakdown.reserveLamports));
    expect(await world.read()).toMatchObject({
      delegate: world.serviceWallet.address,
      isServiceWallet: true,
      remainingUsd: 25,
    });
  });

  test("renews an allowance, and moves no SOL if the service wallet lacks none", async () => {
    await world.allow(25);
    const { breakdown, instructions } = await world.build(40.5);
    expect(instructions).toHaveLength(1);
    expect(breakdown).toMatchObject({
      reserveLamports: 0,
      serviceFeeLamports: 0,
      tokenAccountDepositLamports: 0,
      feeCollector: null,
      totalLamports: breakdown.networkFeeLamports,
    });
    await world.allow(40.5);
    expect((await world.read()).remainingUsd).toBe(40.5);
  });

  test("tops up exactly what a few savings have used, beside a transfer of 0 lamports to a collector", async () => {
    await world.allow(25);
    await world.post(world.signAs(world.serviceWallet, await world.buildSaving(3.3)));
    const { breakdown, instructions } = await world.build(25);
    expect(breakdown).toMatchObject({ reserveLamports: 5_000, serviceFeeLamports: 0 });
    expect(instructions).toHaveLength(3);
    expect(await world.allow(25)).toMatchObject({ confirmed: true });
  });

  test("carries the fee that execute asks for: without the collector's transfer it is refused", async () => {
    const { instructions } = await world.build();
    const { blockhash } = world.chain.getLatestBlockhash();
    const withoutFee = instructions.filter((_, i) => i !== 1);
    await expect(world.post(buildTransaction(withoutFee, [user], blockhash))).rejects.toMatchObject({
      code: "fee_missing",
    });
  });

  test("delegate_exists names another delegate, which stays", async () => {
    await world.approve(user, card.address);
    await expect(world.build()).rejects.toMatchObject({
      code: "delegate_exists",
      message: expect.stringContaining(card.address),
    });
    expect(await world.read()).toMatchObject({ delegate: card.address, isServiceWallet: false, remainingUsd: 0 });
  });

  test.each([
    ["missing", () => world.setLamports(userUsdc, 0n)],
    ["opened with lamports only", () => world.setLamports(userUsdc, ONE_SOL)],
    ["frozen", () => putUserTokens({ isFrozen: true })],
    ["another wallet's", () => putUserTokens({}, card.address)],
  ] as const)("a USDC account that is %s is refused", async (_name, stage) => {
    stage();
    await expect(world.build()).rejects.toMatchObject({ code: "usdc_account_unusable" });
  });

  test("a service wallet with a frozen USDC account is refused", async () => {
    putTokens(world.chain, world.serviceWallet.address, ASSETS.USDC.mint, 0n, { isFrozen: true });
    await expect(world.build()).rejects.toMatchObject({ code: "invalid_address" });
  });

  test.each([
    ["while saving is paused", () => stagePause()],
    ["while USDC is off parity", () => stageUsdcPrice(0.97)],
    ["without a funded collector", () => FEE_COLLECTORS.forEach((collector) => void world.setLamports(collector, 0n))],
  ])("service_not_ready %s", async (_name, stage) => {
    stage();
    await expect(world.build()).rejects.toMatchObject({ code: "service_not_ready" });
  });

  test("affordable is false if the wallet cannot keep its rent minimum", async () => {
    world.setLamports(user.address, 1_000_000n);
    expect((await world.build()).affordable).toBe(false);
  });
});

const putUserTokens = (options: { isFrozen?: boolean }, owner = user.address) =>
  putTokens(world.chain, owner, ASSETS.USDC.mint, toUnits(100), { address: userUsdc, ...options });

function stagePause(): void {
  world.deps.pause = { parts: ["save", "invest"], reason: null };
}

function stageUsdcPrice(usd: number): void {
  const prices = createStagedPrices(world.deps.clock.now(), { usd: { ...PRICES_USD, USDC: usd } });
  world.deps.prices.readCurrent = async () => prices;
}

describe("a saving by allowance", () => {
  test("lands without the owner's key, and the owner's history lists it", async () => {
    await world.allow(25);
    // 0.70, and the fee of 0.25 % comes out of it.
    const { txSignature } = await world.post(world.signAs(world.serviceWallet, await world.buildSaving(3.3)));
    expect((await world.read()).remainingUsd).toBe(24.3);
    const { items } = await world.run(getActivity(world.deps, { address: user.address, limit: 5 }));
    expect(items[0]).toMatchObject({ txSignature, type: "round_up", usdValue: 0.7 });
  });

  test("allowance_missing once another delegate has replaced it, and the built one cannot land", async () => {
    await world.allow(25);
    const build = await world.buildSaving(3.3);
    await world.approve(user, card.address);
    await expect(world.buildSaving(3.3)).rejects.toMatchObject({ code: "allowance_missing" });
    await expect(world.post(world.signAs(world.serviceWallet, build))).rejects.toMatchObject({
      code: "simulation_failed",
    });
  });
});

describe("the revocation", () => {
  test("ends the allowance while saving is paused and USDC is off parity", async () => {
    await world.allow(25);
    const saving = await world.buildSaving(3.3);
    stagePause();
    stageUsdcPrice(0.5);
    const { delegate, breakdown, ...build } = await world.buildRevocation();
    expect(delegate).toBe(world.serviceWallet.address);
    expect(breakdown.totalLamports).toBe(breakdown.networkFeeLamports);
    expect(await world.post(world.signAs(user, build))).toMatchObject({ confirmed: true });
    expect(await world.read()).toMatchObject({ delegate: null, isServiceWallet: false, remainingUsd: 0 });
    await expect(world.post(world.signAs(world.serviceWallet, saving))).rejects.toMatchObject({
      code: "simulation_failed",
    });
  });

  test("has nothing to sign without a delegate", async () => {
    expect(await world.buildRevocation()).toMatchObject({ transaction: null, instructions: [], delegate: null });
  });

  test("names another delegate, which the owner may remove too", async () => {
    await world.approve(user, card.address, 2n ** 64n - 1n);
    expect((await world.buildRevocation()).delegate).toBe(card.address);
  });
});
