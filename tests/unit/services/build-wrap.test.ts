import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import type { DataOf } from "../../../lib/contracts/define";
import { orderFeeCollectors } from "../../../lib/domain/fee-collector";
import { NotAsShown } from "../../../lib/domain/not-as-shown";
import { PLAN_NAMES } from "../../../lib/domain/plans";
import { computeMaxLamports } from "../../../lib/domain/prices/price-bounds";
import { verifyWrap } from "../../../lib/sdk/verify/wrap";
import { buildWrap } from "../../../lib/services/build-wrap";
import { readUnitLimit, readUnitPrice } from "../../../lib/solana/compute-budget";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { readSystemMovements } from "../../../lib/solana/system-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { callService } from "../../support/client/contract-input";
import {
  createBlockhash,
  createFakeDeps,
  createSolAccount,
  createStagedPrices,
  type FakeDeps,
  FEE_COLLECTORS,
  listArguments,
  PRICES_USD,
  runFor,
  setPrices,
  stageUnitPrice,
} from "../../support/fakes/fake-deps";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { signTransaction, toTestWallet } from "../../support/fixtures/test-wallets";
import { postSigned, user } from "../../support/worlds/relay-rig";

type Wrap = DataOf<typeof buildWrapContract>;

const service = toTestWallet("service wallet");
const WALLETS = { userPubkey: user.address, serviceWalletPubkey: service.address };

/** The details of an error that says when to retry. */
const RETRY_DETAILS = { retryAfterSeconds: expect.any(Number) };

let deps: FakeDeps;
beforeEach(() => {
  deps = createFakeDeps();
});

/** Builds a wrap of a 27.63 USD purchase, with these overrides of the request. */
const requestWrap = (overrides: object = {}): Promise<Wrap> =>
  callService(buildWrapContract, buildWrap, deps, { txValueUsd: 27.63, ...WALLETS, ...overrides });

const decodeBytes = ({ transaction }: Wrap) => Uint8Array.from(Buffer.from(transaction!.base64, "base64"));

/** Reads the transfers in the transaction as the chain does. */
function readTransfers(builtWrap: Wrap) {
  const { message } = decodeTransaction(decodeBytes(builtWrap)).decoded;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return readSystemMovements({ message, signatures: [] } as never, keys);
}

describe("the fee collector", () => {
  const collectorOrder = orderFeeCollectors(user.address, FEE_COLLECTORS);
  const setCollectorLamports = (lamports: bigint, ...collectors: string[]) => {
    for (const collector of collectors) deps.chain.accounts.set(collector, createSolAccount(lamports));
  };

  test("is the first in the user's order that can receive a fee", async () => {
    expect((await requestWrap()).breakdown.feeCollector).toBe(collectorOrder[0]);
    setCollectorLamports(EMPTY_RENT_LAMPORTS - 1n, collectorOrder[0]);
    expect((await requestWrap()).breakdown.feeCollector).toBe(collectorOrder[1]);
    deps.chain.accounts.delete(collectorOrder[1]!);
    const builtWrap = await requestWrap();
    expect(builtWrap.breakdown.feeCollector).toBe(collectorOrder[2]);
    expect(readTransfers(builtWrap)[0]).toMatchObject({ to: collectorOrder[2] });
    const expectedReads = Array(3).fill([[user.address, service.address, ...collectorOrder]]);
    expect(listArguments(deps, "readAccounts")).toEqual(expectedReads);
  });

  test("is none if no collector is funded, so the build is refused with a retry time", async () => {
    setCollectorLamports(EMPTY_RENT_LAMPORTS - 1n, ...FEE_COLLECTORS);
    await expect(requestWrap()).rejects.toMatchObject({ code: "service_not_ready", details: RETRY_DETAILS });
    setCollectorLamports(EMPTY_RENT_LAMPORTS, collectorOrder[2]!);
    expect((await requestWrap()).breakdown.feeCollector).toBe(collectorOrder[2]);
  });
});

test("a price is used up to an age of 60 s and refused one millisecond later", async () => {
  await deps.clock.advance(60_000);
  expect((await requestWrap()).breakdown.solPriceUsd).toBe(150);
  await deps.clock.advance(1);
  await expect(requestWrap()).rejects.toMatchObject({ code: "price_stale", details: RETRY_DETAILS });
});

test.each([
  ["is missing", () => null],
  ["is disputed between two sources", (now: number) => createStagedPrices(now, { doubts: { SOL: "disputed" } })],
  ["has a time in the future, so its age is unknown", (now: number) => createStagedPrices(now + 3_600_000)],
])("nothing is built when the price of SOL %s", async (_caseName, createPrices) => {
  deps.currentPrices = createPrices(deps.clock.now());
  await expect(requestWrap()).rejects.toMatchObject({ code: "price_stale" });
});

test("a wrap needs no price of an asset other than SOL", async () => {
  setPrices(deps, { usd: { SOL: 150, BTC: 100_000 }, doubts: { BTC: "disputed" } });
  expect((await requestWrap()).breakdown.solPriceUsd).toBe(150);
});

test("a wrap above the ceiling at the least plausible price is refused, even if the feed returns a lower price", async () => {
  const maxLamports = computeMaxLamports(1_000_000n, deps.priceBounds);
  setPrices(deps, { usd: { SOL: deps.priceBounds.SOL.min } });
  const purchase = { txValueUsd: 0.01, plan: "forest" };
  expect((await requestWrap(purchase)).breakdown.roundUpLamports).toBeLessThanOrEqual(Number(maxLamports));
  for (const SOL of [1.5, 0.15, 0.000_001]) {
    setPrices(deps, { usd: { SOL } });
    await expect(requestWrap(purchase)).rejects.toMatchObject({ code: "price_stale" });
  }
});

test("the transaction moves exactly the lamports of the breakdown", async () => {
  const anyPurchase = fc.record({
    txValueUsd: fc.integer({ min: 0, max: 100_000_000 }).map((cents) => cents / 100),
    plan: fc.constantFrom(...PLAN_NAMES, undefined),
    roundToUsd: fc.constantFrom(undefined, undefined, 0.01, 0.333333, 7, 100),
    ceiling: fc.constantFrom(undefined, 0.000001, 0.05, 100),
    multiplier: fc.constantFrom(undefined, 1, 3, 10),
    solPrice: fc.integer({ min: 1, max: 1_000_000_000 }).map((milli) => milli / 1_000),
    serviceLamports: fc.constantFrom(null, EMPTY_RENT_LAMPORTS, 9_000_000n),
  });
  const property = fc.asyncProperty(anyPurchase, async ({ solPrice, serviceLamports, ...requests }) => {
    deps = createFakeDeps();
    setPrices(deps, { usd: { ...PRICES_USD, SOL: solPrice } });
    deps.priceBounds = { ...deps.priceBounds, SOL: { min: 0.001, max: 1_000_000 } };
    if (serviceLamports !== null) deps.chain.accounts.set(service.address, createSolAccount(serviceLamports));
    const builtWrap = await requestWrap(JSON.parse(JSON.stringify(requests)));
    const { breakdown } = builtWrap;
    const { roundUpLamports, serviceFeeLamports, userInvestmentLamports } = breakdown;
    expect(serviceFeeLamports + userInvestmentLamports).toBe(roundUpLamports);
    expect(serviceFeeLamports).toBeLessThanOrEqual((roundUpLamports * breakdown.serviceFeePercent) / 100);
    if (breakdown.skipped) {
      expect([roundUpLamports, breakdown.totalLamports]).toEqual([0, 0]);
      return;
    }
    expect(breakdown.totalLamports).toBe(roundUpLamports + breakdown.activationLamports + breakdown.networkFeeLamports);
    const savedLamports = BigInt(userInvestmentLamports + breakdown.activationLamports);
    expect(readTransfers(builtWrap)).toEqual([
      { from: user.address, to: breakdown.feeCollector, lamports: BigInt(serviceFeeLamports) },
      { from: user.address, to: service.address, lamports: savedLamports },
    ]);
  });
  await fc.assert(property, { numRuns: 150 });
});

test("a skipped wrap needs no price", async () => {
  deps.currentPrices = null;
  expect((await requestWrap({ txValueUsd: 0 })).breakdown).toMatchObject({ skipped: true, solPriceUsd: null });
});

describe("the priority fee", () => {
  const TERMS = { wallet: user.address, serviceWallet: service.address, purchasesUsd: [27.63] };

  test("the network fee includes the priority fee of the transaction's unit limit and price", async () => {
    const requests = stageUnitPrice(deps, 100_000n);
    const { instructions, transaction, breakdown, ...otherFields } = await requestWrap();
    const builtWrap = readTransaction(transaction!.base64);
    expect(builtWrap.instructions.flatMap((instruction) => readUnitLimit(instruction) ?? [])).toEqual([600]);
    expect(builtWrap.instructions.flatMap((instruction) => readUnitPrice(instruction) ?? [])).toEqual([100_000n]);
    expect(instructions.map(({ programId }) => programId)).toEqual([SYSTEM_PROGRAM, SYSTEM_PROGRAM]);
    expect(breakdown).toMatchObject({ networkFeeLamports: 5_060, totalLamports: 658_799 });
    expect(requests).toEqual([[orderFeeCollectors(user.address, FEE_COLLECTORS)[0]]]);
    const verifiedFigures = verifyWrap({ transaction, breakdown, ...otherFields }, TERMS);
    expect(verifiedFigures).toMatchObject({ networkFeeLamports: 5_060n, totalLamports: 658_799n });
    const lowerBreakdown = { ...breakdown, networkFeeLamports: 59, totalLamports: 653_798 };
    expect(() => verifyWrap({ transaction, breakdown: lowerBreakdown, ...otherFields }, TERMS)).toThrow(NotAsShown);
  });

  test("the priority fee never exceeds the maximum in the settings", async () => {
    for (const [maxLamports, networkFeeLamports] of [
      [0n, 5_000],
      [7n, 5_007],
      [100_000n, 5_150],
    ] as const) {
      stageUnitPrice(deps, 2n ** 63n);
      deps.maxPriorityFeeLamports = maxLamports;
      expect((await requestWrap()).breakdown.networkFeeLamports).toBe(networkFeeLamports);
    }
  });
});

test.each([
  [463_167n, 0],
  [463_168n, 1],
  [650_240n, 187_073],
  [890_880n, 427_713],
])(
  "a new service wallet gets the lamports that an investment of 463,167 lamports lacks to reach the rent minimum of %s",
  async (rentLamports, lackingLamports) => {
    deps.chain.computeRent = () => rentLamports;
    const breakdown = { userInvestmentLamports: 463_167, activationLamports: lackingLamports };
    expect(await requestWrap()).toMatchObject({ breakdown });
  },
);

test.each([
  ["a token account", TOKEN_PROGRAM],
  ["an account of a program", toTestWallet("program").address],
])("a service wallet that is %s is refused, because SOL sent there would be lost", async (_caseName, owner) => {
  deps.chain.accounts.set(service.address, { ...createSolAccount(2_039_280n), owner });
  await expect(requestWrap()).rejects.toMatchObject({ code: "invalid_address" });
});

/** What a wrap with a priority fee of 60 lamports costs. */
const TOTAL_LAMPORTS = 658_799n;

test.each([
  ["nothing at all", null, false],
  ["one lamport too little", TOTAL_LAMPORTS - 1n, false],
  ["exactly the total, so that 0 is left", TOTAL_LAMPORTS, true],
  ["one lamport more, which would be dust", TOTAL_LAMPORTS + 1n, false],
  ["dust just under the rent minimum", TOTAL_LAMPORTS + EMPTY_RENT_LAMPORTS - 1n, false],
  ["the rent minimum left", TOTAL_LAMPORTS + EMPTY_RENT_LAMPORTS, true],
  ["plenty", 1_000_000_000n, true],
])("a payer with %s (%s lamports) can afford the wrap: %s", async (_caseName, heldLamports, affordable) => {
  stageUnitPrice(deps, 100_000n);
  if (heldLamports !== null) deps.chain.accounts.set(user.address, createSolAccount(heldLamports));
  expect((await requestWrap()).affordable).toBe(affordable);
});

test.each([
  [4_993n, false],
  [5_000n, true],
])(
  "a payer with %s lamports above the rent minimum can spend everything: %s",
  async (lamportsAboveRent, affordable) => {
    deps.chain.accounts.set(service.address, createSolAccount(EMPTY_RENT_LAMPORTS));
    deps.chain.accounts.set(user.address, createSolAccount(EMPTY_RENT_LAMPORTS + lamportsAboveRent));
    const lamports = EMPTY_RENT_LAMPORTS + lamportsAboveRent - 5_000n;
    const ceiling = Number((lamports * 150n + 999n) / 1_000n) / 1e6;
    const { breakdown, ...builtWrap } = await requestWrap({ txValueUsd: 1.5, plan: "forest", ceiling });
    expect(breakdown.totalLamports).toBe(Number(EMPTY_RENT_LAMPORTS + lamportsAboveRent));
    expect(builtWrap.affordable).toBe(affordable);
  },
);

describe("a repeated build", () => {
  /** Relays the wrap while nothing lands, and refreshes the prices afterwards. */
  async function relayWrap(builtWrap: Wrap) {
    const answer = await postSigned(deps, signTransaction(decodeBytes(builtWrap), user));
    setPrices(deps);
    return answer;
  }

  test("returns the same bytes before they are relayed, so a retry cannot pay twice", async () => {
    const firstWrap = await requestWrap();
    await deps.clock.advance(300);
    expect(await requestWrap()).toEqual(firstWrap);
  });

  test("waits for another blockhash after the wrap was relayed", async () => {
    const firstWrap = await requestWrap();
    expect(await relayWrap(firstWrap)).toMatchObject({ confirmed: false });
    const nextSlotMs = deps.clock.now() + 400;
    deps.chain.getLatestBlockhash = () =>
      deps.clock.now() < nextSlotMs
        ? { blockhash: createBlockhash(1), lastValidBlockHeight: 1_150 }
        : { blockhash: createBlockhash(3), lastValidBlockHeight: 1_151 };
    const pending = requestWrap();
    const buildTimeMs = pending.then(() => deps.clock.now());
    const secondWrap = await runFor(2_000, deps, pending);
    expect(secondWrap.transaction).toMatchObject({ blockhash: createBlockhash(3), lastValidBlockHeight: 1_151 });
    expect((await buildTimeMs) - nextSlotMs).toBeLessThan(100);
    const noTransaction = { transaction: null, unsigned: null };
    expect({ ...secondWrap, ...noTransaction }).toEqual({ ...firstWrap, ...noTransaction });
  });

  test("fails within seconds instead of returning relayed bytes while there is no other blockhash", async () => {
    await relayWrap(await requestWrap());
    const pending = requestWrap();
    await expect(runFor(5_000, deps, pending)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

test.each([
  ["the two wallets are equal", { serviceWalletPubkey: user.address }, "wallets_equal"],
  ["the user's wallet is a collector", { userPubkey: FEE_COLLECTORS[0] }, "wallet_not_allowed"],
  ["the service wallet is a collector", { serviceWalletPubkey: FEE_COLLECTORS[2] }, "wallet_not_allowed"],
])("a wrap, skipped or not, is refused before any port is called if %s", async (_caseName, overrides, code) => {
  await expect(requestWrap(overrides)).rejects.toMatchObject({ code });
  await expect(requestWrap({ ...overrides, txValueUsd: 0 })).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});
