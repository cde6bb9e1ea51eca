import { z } from "zod";
import { type AllocationFault, listAllocationFaults, MAX_ALLOCATIONS } from "../domain/allocations";
import { ASSET_SYMBOLS, ASSETS } from "../domain/assets";
import { defineContract } from "./define";
import { createExampleTransaction, EXAMPLE_SERVICE_WALLET } from "./examples";
import {
  AssetName,
  BaseUnits,
  builtTransactionFields,
  Lamports,
  PayWith,
  SlippageBps,
  Sol,
  ThresholdUsd,
  Usd,
  WalletAddress,
} from "./scalars";
import { createExampleQuote, createFundingFields, SwapQuote, swapInputFields } from "./swap-fields";

const Allocation = z.strictObject({ asset: AssetName, pct: z.number().gt(0).max(100) });

const ALLOCATION_FAULT_MESSAGES: Record<AllocationFault, string> = {
  repeated_asset: "assets must be distinct",
  too_many_decimals: "pct takes six decimals at most",
  wrong_sum: "pct must sum to exactly 100",
};

export const Allocations = z
  .array(Allocation)
  .min(1)
  .max(MAX_ALLOCATIONS)
  .superRefine((allocations, context) => {
    for (const fault of listAllocationFaults(allocations))
      context.addIssue({ code: "custom", message: ALLOCATION_FAULT_MESSAGES[fault] });
  });

export const buildSwapContract = defineContract({
  operation: "build-swap",
  method: "POST",
  path: "/api/swap/build",
  auth: "caller",
  tag: "Swaps",
  summary: "Build unsigned swap transactions for a savings wallet",
  description:
    "Checks the balance and the threshold. With `ready: false`, `reason` explains why nothing was built. " +
    'With `payWith: "USDC"` it swaps the wallet\'s USDC. Network fees and deposits are still paid in SOL.',
  body: z
    .strictObject({
      serviceWalletPubkey: WalletAddress,
      payWith: PayWith.optional(),
      targetAsset: AssetName.optional().describe(
        "Default BTC. Ignored with `allocations`; only then may it be the asset that pays",
      ),
      allocations: Allocations.optional().describe(
        "Splits the balance among assets, in percent. The sum is 100. The share of the asset that pays is not swapped",
      ),
      threshold: ThresholdUsd.optional(),
      slippageBps: SlippageBps.optional(),
    })
    .superRefine(({ payWith = "SOL", targetAsset, allocations }, context) => {
      if (targetAsset !== payWith || allocations) return;
      const otherAssets = ASSET_SYMBOLS.filter((symbol) => symbol !== payWith);
      const message = `a swap sells ${payWith}, so it cannot buy ${payWith}; send ${otherAssets.slice(0, -1).join(", ")} or ${otherAssets.at(-1)}`;
      context.addIssue({ code: "custom", message, path: ["targetAsset"] });
    }),
  data: z.strictObject({
    ready: z.boolean(),
    reason: z.string().nullable(),
    payWith: PayWith,
    balanceSol: Sol,
    balanceAmount: BaseUnits.describe("The wallet's balance of the asset that pays, base units"),
    balanceUsd: Usd.describe("Value of `balanceAmount` in US dollars"),
    threshold: Usd,
    remaining: Usd.describe("US dollars that the balance lacks to reach the threshold"),
    ...createFundingFields(
      "Lamports that the wallet lacks for a swap. 0 when `reason` is not a lack of SOL",
      "SOL that stays in the wallet: its own rent, and the rent of a temporary wrapped-SOL account; only the larger " +
        "of the two if USDC pays. Withdrawing everything returns it. A sale or a partial withdrawal may need a little more SOL first",
    ),
    neededAmount: BaseUnits.describe("Base units that the wallet lacks of the asset that pays"),
    swappableLamports: Lamports.describe(
      "Lamports to swap: the balance without fees, deposits and reserve. 0 if USDC pays",
    ),
    swappableAmount: BaseUnits.describe("Base units to swap of the asset that pays. All of it if USDC pays"),
    transactions: z.array(
      z.strictObject({
        asset: AssetName,
        pct: z.number(),
        inputLamports: Lamports.describe("0 if USDC pays"),
        ...swapInputFields,
        ...builtTransactionFields,
        quote: SwapQuote,
      }),
    ),
  }),
  errors: [
    "invalid_address",
    "wallet_not_allowed",
    "no_route",
    "simulation_failed",
    "price_stale",
    "service_not_ready",
  ],
  example: { serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, targetAsset: "BTC" },
  exampleAnswer: {
    ready: true,
    reason: null,
    payWith: "SOL",
    balanceSol: 0.079860333,
    balanceAmount: "79860333",
    balanceUsd: 11.979049,
    threshold: 5,
    remaining: 0,
    neededLamports: 0,
    neededUsd: 0,
    neededAmount: "0",
    costs: { networkFeeLamports: 5204, tokenAccountDepositLamports: 2039280, reserveLamports: 3029956 },
    swappableLamports: 74785893,
    swappableAmount: "74785893",
    transactions: [
      {
        asset: "BTC",
        pct: 100,
        inputLamports: 74785893,
        inputMint: ASSETS.SOL.mint,
        inputAmount: "74785893",
        ...createExampleTransaction(
          "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAFCeX7b2FO107a2LPrVPbG82kNnZ7D6euWXKkv8lmMEyUoRuZ/12zc9+h8lbrowAibbrjvN6q9DsMEgXIlKTa5WiS9RFfVf0RFctShs8jlA2pwiiKHs94ba/hP0et69Ed5FVFIMtXbsGThZqN84Ih0VJOfUbsg1Ayaxhfj8510kdOXAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAACMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WQkec9F6VSbUSOWJrqWv58Is1hxbZqhqQnqyYjCVFOVcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqWWaz7IcmrnlKxlnEjkdlsBlcpJQnOHj6pQqv8l+LoLjBQQABQKiTwAABAAJAxAnAAAAAAAABQYAAQAGBwgBAQcCAAIMAgAAAGUkdQQAAAAACAQDBgEACgzRKwAAAAAAAAgA",
        ),
        quote: createExampleQuote("SOL", 74785893n, "BTC", {
          amount: 11217n,
          minimum: 11104n,
          priceImpact: 5.60894e-7,
          priceUsd: 100000,
        }),
      },
    ],
  },
});
