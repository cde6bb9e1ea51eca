import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { getActivityContract } from "./get-activity";
import { getPortfolioContract } from "./get-portfolio";
import { getPricesContract } from "./get-prices";
import { getSpendingContract, SmallPayments } from "./get-spending";
import { Address, Network, TxSignature, Usd, WalletAddress } from "./scalars";

const OVERVIEW_PARTS = ["prices", "portfolio", "savings", "activity", "spending", "pauses"] as const;

const SpendingSummary = z.strictObject({
  payments: z.int().describe("Number of payments that are not saved yet, from the batches of GET /api/spending"),
  small: SmallPayments,
  totalUsd: Usd,
  savedThrough: TxSignature.nullable().describe("The newest saved payment; null if none is saved"),
  ...getSpendingContract.data.pick({ isComplete: true, items: true, batches: true, nextBefore: true }).shape,
});

export const getOverviewContract = defineContract({
  operation: "get-overview",
  method: "GET",
  path: "/api/overview/{address}",
  auth: "optional",
  tag: "Public",
  summary: "Get a wallet and its savings in one call",
  description:
    "Combines GET /api/price, GET /api/portfolio of both wallets, the newest items of GET /api/activity, and a " +
    "summary of GET /api/spending. Only that summary needs credentials. A part that is not available is null, and " +
    "`unavailable` gives the reason.",
  params: z.strictObject({ address: WalletAddress.describe("The user's own wallet") }),
  query: z.strictObject({ serviceWallet: WalletAddress.optional() }),
  data: z.strictObject({
    walletAddress: Address,
    serviceWallet: Address.nullable(),
    network: Network,
    prices: getPricesContract.data.nullable(),
    portfolio: getPortfolioContract.data.nullable().describe("Portfolio of the user's own wallet"),
    savings: getPortfolioContract.data
      .nullable()
      .describe("Portfolio of the savings wallet, with its investable amount; null without a savings wallet"),
    activity: z
      .array(getActivityContract.data.shape.items.element)
      .nullable()
      .describe("The newest 5 items of the savings wallet, or of the user's own wallet without one"),
    activityNextBefore: getActivityContract.data.shape.nextBefore.describe(
      "`nextBefore` of the page in `activity`; null on the last page, or without a page",
    ),
    spending: SpendingSummary.nullable(),
    pauses: z.array(z.string()).nullable().describe("Operations that the operator has paused, and the reason"),
    unavailable: z.array(z.strictObject({ part: z.enum(OVERVIEW_PARTS), code: z.string(), reason: z.string() })),
  }),
  errors: ["invalid_address"],
  example: { address: EXAMPLE_WALLET, serviceWallet: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_WALLET,
    serviceWallet: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    prices: getPricesContract.exampleAnswer,
    portfolio: null,
    savings: getPortfolioContract.exampleAnswer,
    activity: getActivityContract.exampleAnswer.items.slice(0, 1),
    activityNextBefore: getActivityContract.exampleAnswer.items[0]!.txSignature,
    spending: {
      payments: 1,
      small: { count: 0, sumUsd: 0 },
      totalUsd: 27.63,
      savedThrough: null,
      isComplete: true,
      items: getSpendingContract.exampleAnswer.items,
      batches: getSpendingContract.exampleAnswer.batches,
      nextBefore: null,
    },
    pauses: [],
    unavailable: [
      {
        part: "portfolio",
        code: "upstream_timeout",
        reason: "A service we depend on took too long to answer. Try again shortly.",
      },
    ],
  },
});
