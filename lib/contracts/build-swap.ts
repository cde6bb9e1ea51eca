import { z } from "zod";
import { type AllocationFault, listAllocationFaults, MAX_ALLOCATIONS } from "../domain/allocations";
import { defineContract } from "./define";
import { createExampleOutput, createExampleTransaction, EXAMPLE_SERVICE_WALLET } from "./examples";
import { SwapQuote } from "./quote-swap";
import {
  AssetName,
  builtTransactionFields,
  Lamports,
  SlippageBps,
  Sol,
  ThresholdUsd,
  Usd,
  WalletAddress,
} from "./scalars";
import { createFundingFields } from "./swap-fields";

const Allocation = z.strictObject({ asset: AssetName, pct: z.number().gt(0).max(100) });

const ALLOCATION_FAULT_MESSAGES: Record<AllocationFault, string> = {
  repeated_asset: "assets must be distinct",
  too_many_decimals: "pct takes six decimals at most",
  wrong_sum: "pct must sum to exactly 100",
};

/** The shares of a swap. Every rule of `listAllocationFaults` is checked. */
export const Allocations = z
  .array(Allocation)
  .min(1)
  .max(MAX_ALLOCATIONS)
  .superRefine((allocations, context) => {
    for (const fault of listAllocationFaults(allocations))
      context.addIssue({ code: "custom", message: ALLOCATION_FAULT_MESSAGES[fault] });
  });

const EXAMPLE_TRANSACTION = {
  base64:
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAFCeX7b2FO107a2LPrVPbG82kNnZ7D6euWXKkv8lmMEyUoRuZ/12zc9+h8lbrowAibbrjvN6q9DsMEgXIlKTa5WiS9RFfVf0RFctShs8jlA2pwiiKHs94ba/hP0et69Ed5FVFIMtXbsGThZqN84Ih0VJOfUbsg1Ayaxhfj8510kdOXAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAACMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WQkec9F6VSbUSOWJrqWv58Is1hxbZqhqQnqyYjCVFOVcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqWWaz7IcmrnlKxlnEjkdlsBlcpJQnOHj6pQqv8l+LoLjBQQABQKiTwAABAAJAxAnAAAAAAAABQYAAQAGBwgBAQcCAAIMAgAAAGUkdQQAAAAACAQDBgEACgzRKwAAAAAAAAgA",
  blockhash: "7qd6R94ijiqCnr3hkftdYRN5f1FTvdm7bSvxGyk1ydWa",
  lastValidBlockHeight: 426553013,
  validForMs: 30000,
};

export const buildSwapContract = defineContract({
  operation: "build-swap",
  method: "POST",
  path: "/api/swap/build",
  auth: "caller",
  tag: "Swaps",
  summary: "Build unsigned swap transactions for a service wallet",
  description: "Checks the balance and the threshold. With `ready: false`, `reason` explains why nothing was built.",
  body: z
    .strictObject({
      serviceWalletPubkey: WalletAddress,
      targetAsset: AssetName.optional().describe("Default BTC. Ignored with `allocations`; only then may it be SOL"),
      allocations: Allocations.optional().describe(
        "Splits the SOL among assets, in percent. The sum is 100. The share of SOL is not swapped",
      ),
      threshold: ThresholdUsd.optional(),
      slippageBps: SlippageBps.optional(),
    })
    .refine((body) => body.targetAsset !== "SOL" || body.allocations, {
      message: "a swap sells SOL, so it cannot buy SOL; send BTC, ETH, USDC or USDT",
      path: ["targetAsset"],
    }),
  data: z.strictObject({
    ready: z.boolean(),
    reason: z.string().nullable(),
    balanceSol: Sol,
    balanceUsd: Usd,
    threshold: Usd,
    remaining: Usd.describe("US dollars that the balance lacks to reach the threshold"),
    ...createFundingFields(
      "Lamports that the wallet lacks for a swap. 0 when `reason` is not a lack of SOL",
      "SOL that stays in the wallet: its own rent, and the rent of a temporary wrapped-SOL account. Withdrawing " +
        "everything returns it. A sale or a partial withdrawal may need a little more SOL first",
    ),
    swappableLamports: Lamports.describe("Lamports to swap: the balance without fees, deposits and reserve"),
    transactions: z.array(
      z.strictObject({
        asset: AssetName,
        pct: z.number(),
        inputLamports: Lamports,
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
    balanceSol: 0.079860333,
    balanceUsd: 11.979049,
    threshold: 5,
    remaining: 0,
    neededLamports: 0,
    neededUsd: 0,
    costs: { networkFeeLamports: 5204, tokenAccountDepositLamports: 2039280, reserveLamports: 3029956 },
    swappableLamports: 74785893,
    transactions: [
      {
        asset: "BTC",
        pct: 100,
        inputLamports: 74785893,
        ...createExampleTransaction(EXAMPLE_TRANSACTION),
        quote: {
          inputLamports: 74785893,
          inputSol: 0.074785893,
          ...createExampleOutput("BTC", { amount: 11217n, minimum: 11104n, priceImpact: 5.60894e-7, priceUsd: 100000 }),
        },
      },
    ],
  },
});
