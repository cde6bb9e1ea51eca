import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, exampleAmount } from "./examples";
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
    balance: z.number().meta({ description: "Coins" }),
    amount: BaseUnits,
    decimals: z.int(),
    priceUsd: Usd.nullable(),
    usdValue: Usd.nullable(),
    unpriced: z.enum(["none", "unknown"]).nullable().meta({
      description:
        "Why there is no priceUsd: `none`, nobody prices it; `unknown`, it is not known now, as one answer asks for the prices of 50 mints at most. Null where there is one",
    }),
  })
  .meta({ id: "Balance", description: "One mint held; unpriced is null, never 0" });

export const getPortfolioContract = defineContract({
  operation: "get-portfolio",
  method: "GET",
  path: "/api/portfolio/{address}",
  auth: "none",
  tag: "Public",
  summary: "All balances of any wallet and their USD values",
  description:
    "Tokens that are no supported asset are listed without a price. `leftOut` names what could not be read; the totals do not contain it.",
  params: z.strictObject({ address: WalletAddress }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    balances: z.array(Balance),
    leftOut: z.array(LeftOut).meta({
      description: "Tokens that could not be read, or are too many to be listed; no figure here contains them",
    }),
    totalUsd: Usd.nullable().meta({ description: "Sum of what is priced; null when no price is available" }),
    pendingSol: Sol,
    pendingLamports: Lamports,
    pendingUsd: Usd.nullable(),
    investableLamports: Lamports.nullable().meta({
      description:
        "What POST /api/swap/build could swap into the default asset now, after reserve, rent and deposits; null without a price",
    }),
    investableUsd: Usd.nullable(),
    solPriceUsd: Usd.nullable(),
    asOf: Timestamp.meta({
      description:
        "When the figures were put together, of readings under a second old; of a wallet with over 2,000 token accounts, under six",
    }),
  }),
  repeats: true,
  errors: ["invalid_address"],
  example: { address: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    balances: [
      {
        ...exampleAmount("BTC", 11217n),
        balance: 0.00011217,
        priceUsd: 100000,
        usdValue: 11.217,
        unpriced: null,
      },
      {
        ...exampleAmount("SOL", 3029956n),
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
