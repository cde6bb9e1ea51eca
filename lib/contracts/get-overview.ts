import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { getActivityContract } from "./get-activity";
import { getPortfolioContract } from "./get-portfolio";
import { getPricesContract } from "./get-prices";
import { getSpendingContract } from "./get-spending";
import { Address, Network, TxSignature, Usd, WalletAddress } from "./scalars";

const PARTS = ["prices", "portfolio", "savings", "activity", "spending", "pauses"] as const;

const Spending = z.strictObject({
  payments: z.int().meta({ description: "Not saved yet, as the batches of GET /api/spending hold them" }),
  totalUsd: Usd,
  savedThrough: TxSignature.nullable().meta({ description: "The last payment that is saved; null when none is" }),
  ...getSpendingContract.data.pick({ isComplete: true, items: true, batches: true, nextBefore: true }).shape,
});

export const getOverviewContract = defineContract({
  operation: "get-overview",
  method: "GET",
  path: "/api/overview/{address}",
  auth: "optional",
  tag: "Public",
  summary: "What an overview of a wallet and its savings needs, in one call",
  description:
    "The answers of GET /api/price, of GET /api/portfolio for either wallet, the newest of GET /api/activity, and GET /api/spending " +
    "with what it adds up to, which alone needs credentials. A part that cannot be had is null, and `unavailable` says why; the others answer all the same.",
  params: z.strictObject({ address: WalletAddress.meta({ description: "The person's own wallet" }) }),
  query: z.strictObject({ serviceWallet: WalletAddress.optional() }),
  data: z.strictObject({
    walletAddress: Address,
    serviceWallet: Address.nullable(),
    network: Network,
    prices: getPricesContract.data.nullable(),
    portfolio: getPortfolioContract.data.nullable().meta({ description: "Of the person's own wallet" }),
    savings: getPortfolioContract.data.nullable().meta({
      description: "Of the service wallet, what can be invested included; null without one",
    }),
    activity: z.array(getActivityContract.data.shape.items.element).nullable().meta({
      description: "The newest 5, of the service wallet, without one of the person's own",
    }),
    activityNextBefore: getActivityContract.data.shape.nextBefore.meta({
      description: "`nextBefore` of that page; null on the last one, and where there is none",
    }),
    spending: Spending.nullable(),
    pauses: z.array(z.string()).nullable().meta({ description: "What the operator has paused, and why" }),
    unavailable: z.array(z.strictObject({ part: z.enum(PARTS), code: z.string(), reason: z.string() })),
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
