import { describe, expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import {
  addLamports,
  addTopUpFee,
  applyInvestChoice,
  computeCurrentShortage,
  computeReadiness,
  formatMissing,
  opensCoinAccount,
} from "@/app/dashboard/_components/readiness";
import { ceilToCents, lamportsToMicroUsd, lamportsToUsd } from "@/lib/domain/money";
import { compareWithThreshold } from "@/lib/services/steps/swap/threshold";

/** Micro-dollars per SOL. */
const PRICE_MICRO_USD = 150_000_000n;
/** Lamports that a wallet needs for its first coin: two token account minimums, its own minimum, and fees. */
const COSTS_LAMPORTS = 890_880 + 2 * 2_039_280 + 5_000;

/** Creates the balance of a wallet that buys its first coin. */
const createPending = (lamports: number) => ({
  pendingLamports: lamports,
  pendingUsd: lamportsToUsd(lamports, 150),
  investableLamports: Math.max(0, lamports - COSTS_LAMPORTS),
  solPriceUsd: 150,
});

const computeState = (lamports: number, thresholdUsd: number) => {
  const comparison = compareWithThreshold(BigInt(lamports), PRICE_MICRO_USD, thresholdUsd);
  const pending = { ...createPending(lamports), pendingUsd: comparison.balanceUsd };
  return {
    readiness: computeReadiness(pending, thresholdUsd)!,
    isReached: comparison.isReached,
    remainingUsd: comparison.remainingUsd,
    investableLamports: pending.investableLamports,
  };
};

describe("the readiness on the page", () => {
  test.each([
    ["an empty wallet", 0, 5],
    ["one lamport under the threshold", 33_333_333, 5],
    ["exactly the threshold", 33_333_334, 5],
    ["far more than the threshold", 900_000_000, 5],
    ["a low threshold that is reached, with nothing left to swap", 4_000_000, 0.5],
    ["a low threshold that is reached, with one lamport to swap", COSTS_LAMPORTS + 1, 0.5],
    ["a low threshold that is not reached", 1_000_000, 0.5],
  ])("agrees with the build of the service for %s", (_caseName, lamports, thresholdUsd) => {
    const { readiness, isReached, remainingUsd, investableLamports } = computeState(lamports, thresholdUsd);
    expect(readiness.isReady).toBe(isReached && investableLamports > 0);
    expect(readiness.missingUsd > 0).toBe(!readiness.isReady);
    expect(readiness.missingUsd).toBeGreaterThanOrEqual(remainingUsd);
  });
});

test.each([
  [0, 5],
  [33_333_333, 5],
  [4_000_000, 0.5],
  [0, 0.5],
])("the missing amount is enough to invest for %i lamports and a threshold of $%f", (lamports, thresholdUsd) => {
  const { readiness } = computeState(lamports, thresholdUsd);
  const toppedUpLamports = lamports + Math.ceil((readiness.missingUsd / 150) * 1e9);
  expect(computeState(toppedUpLamports, thresholdUsd).readiness.isReady).toBe(true);
  const neededUsd =
    Math.max(thresholdUsd, lamportsToUsd(COSTS_LAMPORTS, 150)) -
    Number(lamportsToMicroUsd(BigInt(lamports), PRICE_MICRO_USD)) / 1e6;
  // The page assumes the highest network fee, $0.015 more than this wallet pays, and rounds up to the cent.
  expect(readiness.missingUsd - neededUsd).toBeLessThan(0.05);
});

test.each([
  [33_300_000, 5],
  [4_900_000, 0.5],
])(
  "the saved amount and the missing one, rounded up, add up to the minimum to invest for %i lamports and a threshold of $%f",
  (lamports, usd) => {
    const { readiness } = computeState(lamports, usd);
    expect(readiness.isReady).toBe(false);
    expect(readiness.savedUsd).toBeLessThan(readiness.minimumUsd);
    expect(readiness.savedUsd + ceilToCents(readiness.missingUsd)).toBeCloseTo(readiness.minimumUsd, 9);
  },
);

test("the readiness is null without a price", () => {
  const pending = { pendingLamports: 1, pendingUsd: null, investableLamports: null, solPriceUsd: null };
  expect(computeReadiness(pending, 5)).toBeNull();
});

describe("the investable amount follows the chosen coins, as the service's build does", () => {
  const DEPOSIT_LAMPORTS = 2_039_280;
  const RESERVE_LAMPORTS = 890_880 + DEPOSIT_LAMPORTS;
  const FEE_LAMPORTS = 105_000;
  /** A portfolio whose investable amount is the service's, for BTC. */
  const createPortfolio = (heldSymbols: string[], isBtcOpen: boolean, pendingLamports = 60_000_000) =>
    ({
      balances: heldSymbols.map((asset) => ({ asset })),
      pendingLamports,
      pendingUsd: lamportsToUsd(pendingLamports, 150),
      investableLamports: Math.max(
        0,
        pendingLamports - RESERVE_LAMPORTS - (isBtcOpen ? 0 : DEPOSIT_LAMPORTS) - FEE_LAMPORTS,
      ),
      solPriceUsd: 150,
    }) as unknown as Portfolio;
  const computeKeptLamports = (portfolio: Portfolio, assets: readonly ("BTC" | "ETH" | "SOL")[]) => {
    const legs = assets.map((asset) => ({ asset, pct: 100 / assets.length }));
    return portfolio.pendingLamports - applyInvestChoice(portfolio, legs).investableLamports!;
  };

  test.each([
    [
      "the default, as the service says",
      createPortfolio(["SOL"], false),
      ["BTC"],
      RESERVE_LAMPORTS + DEPOSIT_LAMPORTS + FEE_LAMPORTS,
    ],
    ["a held coin needs no deposit", createPortfolio(["SOL", "ETH"], false), ["ETH"], RESERVE_LAMPORTS + FEE_LAMPORTS],
    [
      "a new coin needs one, although BTC does not",
      createPortfolio(["BTC"], true),
      ["ETH"],
      RESERVE_LAMPORTS + DEPOSIT_LAMPORTS + FEE_LAMPORTS,
    ],
    [
      "two new coins need two, and two fees",
      createPortfolio(["SOL"], false),
      ["BTC", "ETH"],
      RESERVE_LAMPORTS + 2 * (DEPOSIT_LAMPORTS + FEE_LAMPORTS),
    ],
    ["an empty account of BTC is open", createPortfolio(["SOL"], true), ["BTC"], RESERVE_LAMPORTS + FEE_LAMPORTS],
    [
      "SOL that is kept costs nothing",
      createPortfolio(["ETH"], false),
      ["ETH", "SOL"],
      RESERVE_LAMPORTS + FEE_LAMPORTS,
    ],
  ] as const)("%s", (_caseName, portfolio, assets, lamports) =>
    expect(computeKeptLamports(portfolio, assets)).toBe(lamports),
  );

  test.each([
    ["a new coin", ["SOL"], "BTC", true],
    ["a held coin", ["SOL", "ETH"], "ETH", false],
    ["no coin but SOL", [], "SOL", false],
  ] as const)("the page names an account deposit for %s if it opens an account", (_caseName, held, asset, opens) => {
    expect(opensCoinAccount(createPortfolio([...held], false), [{ asset, pct: 100 }])).toBe(opens);
  });

  test("the page names the account deposit of a new coin while Solana's minimums are lower", () => {
    const portfolio = { ...createPortfolio(["SOL"], false), investableLamports: 60_000_000 - 4_577_496 };
    expect(opensCoinAccount(portfolio, [{ asset: "BTC", pct: 100 }])).toBe(true);
  });

  test("too little for two new coins is not ready, and what is missing suffices", () => {
    const legs = [
      { asset: "BTC", pct: 50 },
      { asset: "ETH", pct: 50 },
    ] as const;
    const read = (lamports: number) =>
      computeReadiness(applyInvestChoice(createPortfolio(["SOL"], false, lamports), legs), 0.5)!;
    const { isReady, missingUsd } = read(6_000_000);
    expect(isReady).toBe(false);
    expect(read(6_000_000 + Math.ceil((missingUsd / 150) * 1e9)).isReady).toBe(true);
  });

  test("keeps the service's figure when Solana's minimums differ", () => {
    const cheapPortfolio = { ...createPortfolio(["SOL"], false), investableLamports: 59_000_000 };
    expect(applyInvestChoice(cheapPortfolio, [{ asset: "ETH", pct: 100 }])).toBe(cheapPortfolio);
  });
});

test("the amount that the page asks for is enough after the fee, and three cents less are not", () => {
  for (const lamports of [0, 3_804_321, 12_345_678, 29_871_111]) {
    const pending = { ...createPending(lamports), investableLamports: 0 };
    const givenUsd = addTopUpFee(computeReadiness(pending, 5)!.missingUsd);
    // The service keeps 0.25 % of a top-up.
    const computeArrivedLamports = (usd: number) => Math.floor(((usd * 0.9975) / 150) * 1e9);
    expect(computeReadiness(addLamports(pending, computeArrivedLamports(givenUsd)), 5)!.isReady).toBe(true);
    expect(computeReadiness(addLamports(pending, computeArrivedLamports(givenUsd - 0.03)), 5)!.isReady).toBe(false);
  }
});

test("a refused purchase and the other pages ask for the same amount, and for no cent more than suffices", () => {
  const pending = createPending(25_999_333);
  const refusedPurchase = { neededUsd: 1.1001, remaining: 1.1001, balanceSol: 0.025999333, threshold: 5 };
  const text = formatMissing(computeReadiness(pending, 5)!.missingUsd);
  expect(text, "1.1001 / 0.9975").toContain("$1.11 more");
  expect(formatMissing(computeCurrentShortage(refusedPurchase, pending).missingUsd)).toBe(text);
});

test("the shortage of a refused purchase follows the balance after a top-up", () => {
  const refusedPurchase = { neededUsd: 2, remaining: 2, balanceSol: 0.02, threshold: 5 };
  const computeShortage = (lamports: number) => computeCurrentShortage(refusedPurchase, createPending(lamports));
  expect(computeCurrentShortage(refusedPurchase, undefined)).toEqual({ missingUsd: 2, lacksOnlyCosts: false });
  expect(computeShortage(20_000_000), "the service's figure for the same balance").toEqual({
    missingUsd: 2,
    lacksOnlyCosts: false,
  });
  expect(computeShortage(26_000_000)).toMatchObject({ missingUsd: 1.1, lacksOnlyCosts: false });
  expect(computeShortage(40_000_000).missingUsd).toBe(0);
});
