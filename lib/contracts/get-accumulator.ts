import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET } from "./examples";
import { Address, Lamports, Network, Sol, ThresholdUsd, Usd, WalletAddress } from "./scalars";

export const getAccumulatorContract = defineContract({
  operation: "get-accumulator",
  method: "GET",
  path: "/api/accumulator/{address}",
  auth: "none",
  tag: "Public",
  summary: "Check whether a wallet has reached the investment threshold",
  description:
    "The threshold is compared with the wallet's whole SOL and USDC. One POST /api/swap/build spends only one of them.",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject({ threshold: ThresholdUsd.optional() }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    balanceSol: Sol,
    balanceLamports: Lamports,
    balanceUsd: Usd.describe("Value of the SOL"),
    balanceUsdc: z.number().describe("USDC in the wallet's associated token account"),
    usdcUsd: Usd.describe("What the USDC adds towards the threshold. 0 while USDC is not worth one dollar"),
    investableLamports: Lamports.describe("Lamports that POST /api/swap/build could swap into the default asset now"),
    investableUsd: Usd,
    solPriceUsd: Usd,
    thresholdUsd: Usd,
    thresholdReached: z.boolean(),
    remaining: Usd.describe("US dollars missing to the threshold; 0 when it is reached"),
  }),
  errors: ["invalid_address", "price_stale"],
  example: { address: EXAMPLE_SERVICE_WALLET, threshold: 5 },
  exampleAnswer: {
    walletAddress: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    balanceSol: 0.079860333,
    balanceLamports: 79860333,
    balanceUsd: 11.979049,
    balanceUsdc: 0,
    usdcUsd: 0,
    investableLamports: 74785893,
    investableUsd: 11.217883,
    solPriceUsd: 150,
    thresholdUsd: 5,
    thresholdReached: true,
    remaining: 0,
  },
});
