import { z } from "zod";
import { defineContract } from "./define";
import { createExampleAmount, EXAMPLE_SERVICE_WALLET } from "./examples";
import {
  Address,
  AssetName,
  BaseUnits,
  Lamports,
  LeftOut,
  Network,
  Sol,
  Timestamp,
  Usd,
  WalletAddress,
} from "./scalars";

const Balance = z
  .strictObject({
    asset: AssetName.nullable(),
    symbol: z.string(),
    mint: Address,
    balance: z.number().meta({ description: "Balance in coins" }),
    amount: BaseUnits,
    decimals: z.int(),
    priceUsd: Usd.nullable(),
    usdValue: Usd.nullable(),
    unpriced: z
      .enum(["none", "unknown"])
      .nullable()
      .meta({
        description:
          "Why `priceUsd` is null. `none`: the token has no market price. `unknown`: the price is not known now; one " +
          "answer asks for the prices of at most 50 mints. Null if there is a price",
      }),
  })
  .meta({ id: "Balance", description: "The balance of one mint. A missing price is null, never 0" });

export const getPortfolioContract = defineContract({
  operation: "get-portfolio",
  method: "GET",
  path: "/api/portfolio/{address}",
  auth: "none",
  tag: "Public",
  summary: "List all balances of a wallet and their USD values",
  description:
    "Lists every token of the wallet. `priceUsd` is null for a token without a known price. `leftOut` names the " +
    "tokens that could not be read, and the totals exclude them.",
  params: z.strictObject({ address: WalletAddress }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    balances: z.array(Balance),
    leftOut: z.array(LeftOut).meta({
      description: "Tokens that could not be read, or exceed the list's limit. No figure here includes them",
    }),
    totalUsd: Usd.nullable().meta({ description: "Sum of the balances with a price; null if no price is available" }),
    pendingSol: Sol,
    pendingLamports: Lamports,
    pendingUsd: Usd.nullable(),
    investableLamports: Lamports.nullable().meta({
      description:
        "Lamports that POST /api/swap/build could swap into the default asset now, after reserve, rent and " +
        "deposits. Null without a price",
    }),
    investableUsd: Usd.nullable(),
    solPriceUsd: Usd.nullable(),
    asOf: Timestamp.meta({
      description:
        "Time of the figures. The balances are less than a second older, or less than six seconds for a wallet with " +
        "over 2,000 token accounts",
    }),
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
