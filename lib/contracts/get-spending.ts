import { z } from "zod";
import { BATCH_SIZE_RANGE } from "../domain/limits";
import { SMALL_PAYMENT_USD } from "../domain/spending/batches";
import { LEFT_OUT_REASONS } from "../domain/spending/spending";
import { defineContract } from "./define";
import { createExampleChange, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { BalanceChange, Pulled } from "./get-activity";
import { Address, BlockTime, Network, NextBefore, pageFields, TxSignature, Usd, WalletAddress } from "./scalars";

const Payment = z
  .strictObject({
    txSignature: TxSignature,
    time: BlockTime,
    amounts: z.array(BalanceChange).describe("What the recipients received, SOL first, without rent and network fee"),
    usdValue: Usd.nullable().describe("Null if prices are not available now"),
    estimated: z
      .boolean()
      .describe(
        "True if `usdValue` uses the prices of that day or of today, not of that moment, or the market price of a " +
          "dollar token that lost its peg",
      ),
    pulled: Pulled,
  })
  .meta({ id: "Payment" });

export const SmallPayments = z.strictObject({ count: z.int().min(0), sumUsd: Usd.min(0) }).meta({
  id: "SmallPayments",
  description: `Payments below ${SMALL_PAYMENT_USD} USD. Their sum is part of one of the values to round up`,
});

const Batch = z
  .strictObject({
    txValuesUsd: z.array(Usd).max(BATCH_SIZE_RANGE.max).describe("The values to round up, oldest first"),
    small: SmallPayments,
    through: TxSignature,
    after: z
      .string()
      .describe("`savedThrough` or `none`; of a later batch, `through` of the batch before, which must have landed"),
  })
  .meta({ id: "SpendingBatch", description: "Payments in the form that POST /api/wrap/batch takes" });

const LeftOutCount = z.strictObject({ reason: z.enum(LEFT_OUT_REASONS), count: z.int() }).meta({
  id: "SpendingLeftOut",
  description:
    "Transactions that are not payments. In a `swap`, the wallet got something back. SOL and dollar tokens count " +
    "from one cent on, or from less if the payment was under a dollar",
});

export const getSpendingContract = defineContract({
  operation: "get-spending",
  method: "GET",
  path: "/api/spending/{address}",
  auth: "caller",
  tag: "Round-ups",
  summary: "List a wallet's payments that are not saved yet, in batches ready to save",
  description:
    "Lists SOL and priced tokens that the wallet sent to others in transactions it signed, and dollar tokens that a " +
    "delegate pulled out of its associated token accounts, since the last saved payment or in the last 7 days. Post " +
    "`batches` to POST /api/wrap/batch, oldest first. Wait until each has landed through POST /api/swap/execute before " +
    "you post the next. A batch without change has no `transaction`: keep its `after` for the next one. Then nothing " +
    "is saved twice or skipped, from any number of devices. The purpose of a payment is never guessed. The sum of a " +
    "batch's payments below 1 USD is added to its newest payment of 1 USD or more, before that is rounded up. Without " +
    "one, they are listed but not batched until their sum reaches 1 USD. USDC, USDT, USDG, PYUSD and CASH count at " +
    "exactly 1 USD while every price source that knows them is within 1 % of that.",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().meta({
      description: "ISO 8601. The start of the list when nothing is saved yet; default 7 days ago",
      format: "date-time",
    }),
    ...pageFields,
    serviceWallet: WalletAddress.optional().describe(
      "The wallet's savings wallet, if the wallet has not registered it here itself. A transfer into a savings wallet " +
        "that somebody else has registered is a payment",
    ),
  }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    items: z.array(Payment).describe("Newest first"),
    leftOut: z.array(LeftOutCount).describe("Counts over the transactions read so far"),
    savedThrough: TxSignature.nullable().describe("The newest saved payment; null if none is saved"),
    batches: z.array(Batch),
    nextBefore: NextBefore,
    isComplete: z
      .boolean()
      .describe(
        "False while the history is not fully read: `items` are then the newest payments, and `batches` the oldest. Ask again to read on",
      ),
  }),
  errors: ["invalid_address"],
  example: { address: EXAMPLE_WALLET, serviceWallet: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_WALLET,
    network: "sandbox",
    items: [
      {
        txSignature: "4iUyyVmbmBKhSK6UbFGCVQYokHJru8FccFue5rXv3K8kYgHmTTE61LK5UFUB6qaxH3wShgNoRrW1aPCdtooNbc48",
        time: "2026-11-21T12:04:45.000Z",
        amounts: [createExampleChange("USDC", -27630000n)],
        usdValue: 27.63,
        estimated: false,
        pulled: null,
      },
    ],
    leftOut: [{ reason: "swap", count: 2 }],
    savedThrough: null,
    batches: [
      {
        txValuesUsd: [27.63],
        small: { count: 0, sumUsd: 0 },
        through: "4iUyyVmbmBKhSK6UbFGCVQYokHJru8FccFue5rXv3K8kYgHmTTE61LK5UFUB6qaxH3wShgNoRrW1aPCdtooNbc48",
        after: "none",
      },
    ],
    nextBefore: null,
    isComplete: true,
  },
});
