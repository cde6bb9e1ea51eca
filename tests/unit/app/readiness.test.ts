import { describe, expect, test } from "vitest";
import { DEFAULT_CHOICE } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { addLamports, addTopupFee, applyInvestChoice, computeReadiness } from "@/app/dashboard/_components/readiness";
import { choosePayWith } from "@/app/dashboard/_components/use-readiness";
import { ASSETS } from "@/lib/domain/assets";
import { fromMicroUsd, lamportsToMicroUsd, lamportsToUsd, toMicroUsd } from "@/lib/domain/money";
import { compareWithThreshold } from "@/lib/services/steps/swap/swap-budget";

const SOL_PRICE_USD = 150;
/** Lamports that a wallet needs for its first coin: two token account minimums, its own minimum, and fees. */
const COSTS_LAMPORTS = 890_880 + 2 * 2_039_280 + 5_000;

/** Creates the balance of a wallet that buys its first coin. */
const createPending = (lamports: number) => ({
  pendingLamports: lamports,
  pendingUsd: lamportsToUsd(lamports, SOL_PRICE_USD),
  investableLamports: Math.max(0, lamports - COSTS_LAMPORTS),
  solPriceUsd: SOL_PRICE_USD,
});

const computeState = (lamports: number, thresholdUsd: number) => {
  const balanceMicroUsd = lamportsToMicroUsd(BigInt(lamports), toMicroUsd(SOL_PRICE_USD));
  const comparison = compareWithThreshold(balanceMicroUsd, thresholdUsd);
  const pending = { ...createPending(lamports), pendingUsd: fromMicroUsd(balanceMicroUsd) };
  return { ...comparison, ...pending, readiness: computeReadiness(pending, thresholdUsd)! };
};

test.each([
  ["an empty wallet", 0, 5],
  ["one lamport under the threshold", 33_333_333, 5],
  ["exactly the threshold", 33_333_334, 5],
  ["far more than the threshold", 900_000_000, 5],
  ["an empty wallet with a low threshold", 0, 0.5],
  ["a low threshold that is reached, with nothing left to swap", 4_000_000, 0.5],
  ["a low threshold that is reached, with one lamport to swap", COSTS_LAMPORTS + 1, 0.5],
  ["a low threshold that is not reached", 1_000_000, 0.5],
])("the page agrees with the service's build, and asks for enough, for %s", (_caseName, lamports, thresholdUsd) => {
  const { readiness, isReached, remainingUsd, investableLamports } = computeState(lamports, thresholdUsd);
  expect(readiness.isReady).toBe(isReached && investableLamports > 0);
  expect(readiness.missingUsd > 0).toBe(!readiness.isReady);
  expect(readiness.missingUsd).toBeGreaterThanOrEqual(remainingUsd);
  const toppedUpLamports = lamports + Math.ceil((readiness.missingUsd / SOL_PRICE_USD) * 1e9);
  expect(computeState(toppedUpLamports, thresholdUsd).readiness.isReady).toBe(true);
  const neededUsd =
    Math.max(thresholdUsd, lamportsToUsd(COSTS_LAMPORTS, SOL_PRICE_USD)) - lamportsToUsd(lamports, SOL_PRICE_USD);
  // The page assumes the highest network fee, $0.015 more than this wallet pays, and rounds up to the cent.
  expect(readiness.missingUsd - Math.max(0, neededUsd)).toBeLessThan(0.05);
});

describe("the investable amount follows the chosen coins, as the service's build does", () => {
  const DEPOSIT_LAMPORTS = 2_039_280;
  const RESERVE_LAMPORTS = 890_880 + DEPOSIT_LAMPORTS;
  const FEE_LAMPORTS = 105_000;
  /** A portfolio whose investable amount is the service's, for BTC. */
  const createPortfolio = (heldSymbols: readonly string[], isBtcOpen: boolean, pendingLamports = 60_000_000) =>
    ({
      balances: heldSymbols.map((asset) => ({ asset })),
      pendingLamports,
      pendingUsd: lamportsToUsd(pendingLamports, SOL_PRICE_USD),
      investableLamports: Math.max(
        0,
        pendingLamports - RESERVE_LAMPORTS - (isBtcOpen ? 0 : DEPOSIT_LAMPORTS) - FEE_LAMPORTS,
      ),
      solPriceUsd: SOL_PRICE_USD,
    }) as unknown as Portfolio;

  test.each([
    ["the default coin, as the service says", ["SOL"], false, ["BTC"], 1, 1],
    ["a held coin", ["SOL", "ETH"], false, ["ETH"], 0, 1],
    ["a new coin while BTC is held", ["BTC"], true, ["ETH"], 1, 1],
    ["two new coins", ["SOL"], false, ["BTC", "ETH"], 2, 2],
    ["BTC with an open but empty account", ["SOL"], true, ["BTC"], 0, 1],
    ["a held coin and SOL, which is not bought", ["ETH"], false, ["ETH", "SOL"], 0, 1],
  ] as const)(
    "the page keeps the deposits and the fees of %s",
    (_caseName, heldSymbols, isBtcOpen, assets, depositCount, feeCount) => {
      const portfolio = createPortfolio(heldSymbols, isBtcOpen);
      const allocations = assets.map((asset) => ({ asset, pct: 100 / assets.length }));
      expect(portfolio.pendingLamports - applyInvestChoice(portfolio, allocations).investableLamports!).toBe(
        RESERVE_LAMPORTS + depositCount * DEPOSIT_LAMPORTS + feeCount * FEE_LAMPORTS,
      );
    },
  );

  test("too little for two new coins is not ready, and what is missing suffices", () => {
    const allocations = [
      { asset: "BTC", pct: 50 },
      { asset: "ETH", pct: 50 },
    ] as const;
    const read = (lamports: number) =>
      computeReadiness(applyInvestChoice(createPortfolio(["SOL"], false, lamports), allocations), 0.5)!;
    const { isReady, missingUsd } = read(6_000_000);
    expect(isReady).toBe(false);
    expect(read(6_000_000 + Math.ceil((missingUsd / SOL_PRICE_USD) * 1e9)).isReady).toBe(true);
  });
});

test("the amount that the page asks for is enough after the fee, and three cents less are not", () => {
  for (const lamports of [0, 3_804_321, 12_345_678, 29_871_111]) {
    const pending = { ...createPending(lamports), investableLamports: 0 };
    const givenUsd = addTopupFee(computeReadiness(pending, 5)!.missingUsd);
    // The service keeps 0.25 % of a top-up.
    const computeArrivedLamports = (usd: number) => Math.floor(((usd * 0.9975) / SOL_PRICE_USD) * 1e9);
    expect(computeReadiness(addLamports(pending, computeArrivedLamports(givenUsd)), 5)!.isReady).toBe(true);
    expect(computeReadiness(addLamports(pending, computeArrivedLamports(givenUsd - 0.03)), 5)!.isReady).toBe(false);
  }
});

describe("USDC that pays", () => {
  const DEPOSIT_LAMPORTS = 2_039_280;
  const WALLET_RENT_LAMPORTS = 890_880;
  const createPortfolio = (usdcUnits: number, pendingLamports: number) =>
    ({
      balances: [{ mint: ASSETS.USDC.mint, asset: "USDC", amount: String(usdcUnits), priceUsd: 1 }],
      pendingLamports,
      pendingUsd: lamportsToUsd(pendingLamports, SOL_PRICE_USD),
      investableLamports: 0,
      solPriceUsd: SOL_PRICE_USD,
    }) as unknown as Portfolio;
  const read = (usdcUnits: number, lamports: number, asset: "BTC" | "SOL" = "BTC") => {
    const applied = applyInvestChoice(createPortfolio(usdcUnits, lamports), [{ asset, pct: 100 }], "USDC");
    return { ...applied, ...computeReadiness(applied, 5)! };
  };

  test("is ready at exactly the threshold with any SOL, because the build knows what the costs are", () => {
    expect(read(5_000_000, 1)).toMatchObject({ isReady: true, investableUsd: 5, missingUsd: 0 });
  });

  test("lacks rent, deposit and fee while the wallet has no SOL", () => {
    const readiness = read(5_000_000, 0);
    expect(readiness).toMatchObject({ isReady: false, lacksOnlyCosts: true, missingUsdcUsd: 0 });
    const leastUsd = lamportsToUsd(DEPOSIT_LAMPORTS + WALLET_RENT_LAMPORTS, SOL_PRICE_USD);
    expect(readiness.missingUsd).toBeGreaterThan(leastUsd);
    expect(readiness.missingUsd).toBeLessThan(leastUsd + 0.05);
  });

  test("below the threshold lacks USDC, whatever SOL there is", () => {
    const readiness = read(3_000_000, 10 ** 10);
    expect(readiness).toMatchObject({ isReady: false, missingUsd: 0, missingUsdcUsd: 2, savedUsd: 3, minimumUsd: 5 });
  });

  test("gains nothing from SOL that arrives but its costs", () => {
    const { costsLamports, ...portfolio } = applyInvestChoice(
      createPortfolio(5_000_000, 0),
      [{ asset: "BTC", pct: 100 }],
      "USDC",
    );
    const funded = addLamports({ ...portfolio, costsLamports }, costsLamports!);
    expect(computeReadiness(funded, 5)).toMatchObject({ isReady: true });
  });
});

test("the invest page suggests USDC that reaches the threshold, and keeps to what the person chose", () => {
  const portfolio = {
    balances: [{ mint: ASSETS.USDC.mint, amount: "5000000", priceUsd: 1 }],
  } as unknown as Portfolio;
  expect(choosePayWith(portfolio, DEFAULT_CHOICE, 5)).toBe("USDC");
  expect(choosePayWith(portfolio, DEFAULT_CHOICE, 5.01)).toBe("SOL");
  expect(choosePayWith(portfolio, { ...DEFAULT_CHOICE, kind: "several" }, 5), "USDC is an investment").toBe("SOL");
  expect(choosePayWith(portfolio, { ...DEFAULT_CHOICE, payWith: "USDC" }, 50)).toBe("USDC");
  expect(choosePayWith(portfolio, { ...DEFAULT_CHOICE, payWith: "SOL" }, 5)).toBe("SOL");
});
