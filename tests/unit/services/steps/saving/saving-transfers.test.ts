import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { buildWrap } from "@/lib/services/build-wrap";
import { TOKEN_2022_PROGRAM } from "@/lib/solana/programs";
import { buildRevoke } from "@/lib/solana/token-instructions";
import { ONE_SOL, putTokens } from "../../../../support/chain/sandbox-rig";
import { createStagedPrices, FEE_COLLECTORS, PRICES_USD } from "../../../../support/fakes/fake-deps";
import { readErrorCode, stranger, user } from "../../../../support/worlds/relay-rig";
import { findSigner, savings, stageUsdc, toPayTerms, WAYS, type Way } from "../../../../support/worlds/usdc-world";

/* Savings in USDC that are refused, or that cannot be paid. The change is $0.37. */

const { mint } = ASSETS.USDC;
const SAVINGS_USDC = deriveUsdcAccount(savings.address);
const CHANGE = 370_000n;

let world: Awaited<ReturnType<typeof stageUsdc>>;
beforeEach(async () => {
  world = await stageUsdc();
  await world.approve(user, savings.address);
});

async function build(way: Way = "signature", txValueUsd = 4.63) {
  // The client caches reads for 400 ms, and prices for 30 s.
  await world.deps.clock.advance(31_000);
  return buildWrap(world.deps, { txValueUsd, plan: "tree", ...world.wallets, ...toPayTerms(way) });
}
const putSavings = (owner: string, options = {}) =>
  putTokens(world.chain, owner, mint, 0n, { address: SAVINGS_USDC, ...options });
const putDelegate = (amount: bigint) => {
  putSavings(savings.address);
  return world.approve(savings, stranger.address, amount);
};

describe.each(WAYS)("a saving in USDC by %s", (way) => {
  test.each<[string, () => unknown]>([
    ["is frozen", () => putSavings(savings.address, { isFrozen: true })],
    ["belongs to another wallet", () => putSavings(stranger.address)],
    ["belongs to the user", () => putSavings(user.address)],
    ["is of another token program", () => putSavings(savings.address, { program: TOKEN_2022_PROGRAM })],
    ["has a delegate", () => putDelegate(1n)],
    ["has a delegate for 0 units", () => putDelegate(0n)],
  ])("is refused if the service wallet's account %s", async (_caseName, stage) => {
    await stage();
    await expect(build(way)).rejects.toMatchObject({ code: "invalid_address" });
  });

  test("is refused if the address of the service wallet is a token account", async () => {
    const wallets = { ...world.wallets, serviceWalletPubkey: deriveUsdcAccount(stranger.address) };
    const pending = buildWrap(world.deps, { txValueUsd: 4.63, plan: "tree", ...wallets, ...toPayTerms(way) });
    await expect(pending).rejects.toMatchObject({
      code: way === "allowance" ? expect.stringMatching(/^(invalid_address|allowance_missing)$/) : "invalid_address",
    });
  });

  test("503 while no collector has a USDC account", async () => {
    for (const collector of FEE_COLLECTORS) world.setLamports(deriveUsdcAccount(collector), 0n);
    await expect(build(way)).rejects.toMatchObject({ code: "service_not_ready" });
  });

  test.each([
    [0.9899, "service_not_ready"],
    [1.0101, "service_not_ready"],
    [0.99, null],
  ])("while USDC costs %s USD: %s", async (USDC, code) => {
    const { clock } = world.deps;
    world.deps.prices = {
      ...world.deps.prices,
      readCurrent: async () => createStagedPrices(clock.now(), { usd: { ...PRICES_USD, USDC } }),
    };
    expect(await build(way).then(() => null, readErrorCode)).toBe(code);
  });

  test("opens the account although somebody sent lamports to it, and shows a deposit that suffices", async () => {
    world.setLamports(SAVINGS_USDC, 1_000n);
    const wrap = await build(way);
    expect(wrap.breakdown.tokenAccountDepositLamports).toBeGreaterThan(0);
    expect(await world.post(world.signBuilt(wrap, way))).toMatchObject({ confirmed: true });
    expect((await build(way, 5.63)).breakdown.tokenAccountDepositLamports).toBe(0);
  });

  test.each<[string, bigint, boolean]>([
    ["exactly the change", CHANGE, true],
    ["one unit less", CHANGE - 1n, false],
  ])("tells that it cannot be paid unless the user holds it: %s", async (_caseName, units, affordable) => {
    const delegate = way === "allowance" ? savings.address : stranger.address;
    putTokens(world.chain, user.address, mint, units);
    await world.approve(user, delegate);
    const wrap = await build(way);
    expect([wrap.affordable, wrap.shortOf]).toEqual([affordable, affordable ? null : "USDC"]);
    const post = world.post(world.signBuilt(wrap, way));
    if (affordable) expect(await post).toMatchObject({ confirmed: true });
    else await expect(post).rejects.toMatchObject({ code: "simulation_failed" });
  });

  test.each([0n, -1n, 1n])("needs SOL for all that it shows, and %s lamports above it", async (extraLamports) => {
    putTokens(world.chain, savings.address, mint, 0n);
    const rentLamports = world.chain.computeRentExemptMinimum(0);
    const { totalLamports } = (await build(way)).breakdown;
    world.setLamports(findSigner(way).address, BigInt(totalLamports) + rentLamports + extraLamports);
    const wrap = await build(way);
    expect([wrap.affordable, wrap.shortOf]).toEqual(extraLamports < 0n ? [false, "SOL"] : [true, null]);
    const post = world.post(world.signBuilt(wrap, way));
    if (wrap.affordable) expect(await post).toMatchObject({ confirmed: true });
    else await expect(post).rejects.toMatchObject({ code: "simulation_failed" });
  });
});

test.each<[string, () => void]>([
  ["a frozen account", () => putTokens(world.chain, user.address, mint, 10n ** 9n, { isFrozen: true })],
  ["no account", () => world.setLamports(deriveUsdcAccount(user.address), ONE_SOL)],
  [
    "an account that it gave away",
    () => putTokens(world.chain, stranger.address, mint, 10n ** 9n, { address: deriveUsdcAccount(user.address) }),
  ],
])("a user with %s is short of USDC", async (_caseName, stage) => {
  stage();
  expect(await build()).toMatchObject({ affordable: false, shortOf: "USDC" });
});

test.each<[string, () => Promise<unknown> | unknown]>([
  ["was never given", () => putTokens(world.chain, user.address, mint, 10n ** 9n)],
  ["was replaced", () => world.approve(user, stranger.address)],
  ["is one unit too small", () => world.approve(user, savings.address, CHANGE - 1n)],
  [
    "was revoked",
    () =>
      world.land(world.sign([buildRevoke({ account: deriveUsdcAccount(user.address), owner: user.address })], user)),
  ],
])(
  "409: a saving by allowance is refused if the allowance %s, and by signature it is not",
  async (_caseName, stage) => {
    await stage();
    await expect(build("allowance")).rejects.toMatchObject({ code: "allowance_missing" });
    expect(await world.post(world.signBuilt(await build("signature"), "signature"))).toMatchObject({ confirmed: true });
  },
);

test("an allowance of exactly the change is used up by one saving", async () => {
  await world.approve(user, savings.address, CHANGE);
  expect(await world.post(world.signBuilt(await build("allowance"), "allowance"))).toMatchObject({ confirmed: true });
  await expect(build("allowance")).rejects.toMatchObject({ code: "allowance_missing" });
});
