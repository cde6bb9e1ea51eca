import { z } from "zod";
import { defineContract } from "./define";
import { createExampleAmount, EXAMPLE_SERVICE_WALLET } from "./examples";
import { Address, Lamports, LeftOut, Network, Sol, Timestamp, tokenAmountFields, Usd, WalletAddress } from "./scalars";

const Balance = z
  .strictObject({
    ...tokenAmountFields,
    balance: z.number().describe("Balance in coins"),
    priceUsd: Usd.nullable(),
    usdValue: Usd.nullable(),
    unpriced: z
      .enum(["none", "unknown"])
      .nullable()
      .describe(
        "Why `priceUsd` is null. `none`: the token has no market price. `unknown`: not known now. One answer asks for " +
          "the prices of at most 50 mints",
      ),
  })
  .meta({ id: "Balance", description: "The balance of one mint. A missing price is null, never 0" });

export const getPortfolioContract = defineContract({
  operation: "get-portfolio",
  method: "GET",
  path: "/api/portfolio/{address}",
  auth: "none",
  tag: "Public",
  summary: "List all balances of a wallet and their USD values",
  description: "Lists every token of the wallet, supported or not.",
  params: z.strictObject({ address: WalletAddress }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    balances: z.array(Balance),
    leftOut: z.array(LeftOut).describe("Tokens unread or beyond the list's limit. No figure here includes them"),
    totalUsd: Usd.nullable().describe("Sum of the balances with a price; null if no price is available"),
    pendingSol: Sol.describe("The wallet's SOL, without wrapped SOL"),
    pendingLamports: Lamports,
    pendingUsd: Usd.nullable(),
    investableLamports: Lamports.nullable().describe("As in GET /api/accumulator. Null without a price"),
    investableUsd: Usd.nullable(),
    solPriceUsd: Usd.nullable(),
    asOf: Timestamp.describe("Time of the figures. Balances may be 1 s older, or 6 s with over 2,000 token accounts"),
  }),
  returnsCachedObjects: true,
  errors: ["invalid_address"],
  example: { address: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    balances: [
      {
        ...createExampleAmount("BTC", 11217n),
        balance: 0.00011217,
        priceUsd: 100000,
        usdValue: 11.217,
        unpriced: null,
      },
      {
        ...createExampleAmount("SOL", 3029956n),
        balance: 0.003029956,
        priceUsd: 150,
        usdValue: 0.454493,
        unpriced: null,
      },
    ],
    leftOut: [],
    totalUsd: 11.671493,
    pendingSol: 0.003029956,
    pendingLamports: 3029956,
    pendingUsd: 0.454493,
    investableLamports: 0,
    investableUsd: 0,
    solPriceUsd: 150,
    asOf: "2026-11-21T04:04:47.602Z",
  },
});
