import { z } from "zod";
import { BATCH_SIZE } from "../domain/limits";
import { LEFT_OUT_REASONS } from "../domain/spending/spending";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET, exampleChange } from "./examples";
import { BalanceChange } from "./get-activity";
import { Address, Network, Timestamp, TxSignature, TxSignatureInput, Usd, WalletAddress } from "./scalars";

const Item = z
  .strictObject({
    txSignature: TxSignature,
    time: Timestamp.nullable().meta({ description: "Null when the node does not know" }),
    amounts: z.array(BalanceChange).meta({ description: "What others got, SOL first; without rent and network fee" }),
    usdValue: Usd.nullable().meta({ description: "Null when the prices are not to be had right now" }),
    estimated: z.boolean().meta({
      description: "Whether `usdValue` is not at the prices of that moment but at those of the day, or of today",
    }),
  })
  .meta({ id: "Payment" });

const Batch = z
  .strictObject({ txValuesUsd: z.array(Usd).max(BATCH_SIZE.max), through: TxSignature })
  .meta({ id: "SpendingBatch", description: "Payments as POST /api/wrap/batch takes them" });

const LeftOut = z.strictObject({ reason: z.enum(LEFT_OUT_REASONS), count: z.int() }).meta({
  id: "SpendingLeftOut",
  description:
    "Transactions that are no payments to save the change of. `swap`: something came back, in SOL, USDC or USDT a cent or more, or less beside under a dollar",
});

export const getSpendingContract = defineContract({
  operation: "get-spending",
  method: "GET",
  path: "/api/spending/{address}",
  auth: "caller",
  tag: "Round-ups",
  summary: "A wallet's own payments that are not saved yet, in batches ready to save",
  description:
    "SOL and priced tokens that the wallet sent to others in transactions it signed, after the last saved one, else of the last 7 days. " +
    "Post `batches` to POST /api/wrap/batch one after the other, oldest first, each once the one before has landed through " +
    "POST /api/swap/execute: then nothing is saved twice and nothing skipped, from however many devices. Where there is more than one answer " +
    "can read, `items` are the newest and `batches` the oldest, `isComplete` is false, and asking again reads on. What a payment was for is never guessed.",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().meta({
      description: "ISO 8601; where it begins when nothing is saved yet. Default 7 days ago",
      format: "date-time",
    }),
    limit: z.int().min(1).max(50).optional().meta({ description: "Items of a page; default 20" }),
    before: TxSignatureInput.optional().meta({ description: "Start after this one: `nextBefore` of the page before" }),
    serviceWallet: WalletAddress.optional().meta({
      description: "The wallet's service wallet, where it was not derived through this service",
    }),
  }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    items: z.array(Item).meta({ description: "Newest first" }),
    leftOut: z.array(LeftOut).meta({ description: "Of the transactions read so far" }),
    savedThrough: TxSignature.nullable().meta({ description: "The last payment that is saved; null when none is" }),
    batches: z.array(Batch),
    nextBefore: TxSignature.nullable().meta({ description: "Null when there are no more items" }),
    isComplete: z.boolean().meta({
      description:
        "Whether `batches` hold all payments that are not saved yet. False: not everything has been read yet; ask again, and the " +
        "next answer reads on",
    }),
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
        amounts: [exampleChange("USDC", -27630000n)],
        usdValue: 27.63,
        estimated: false,
      },
    ],
    leftOut: [{ reason: "swap", count: 2 }],
    savedThrough: null,
    batches: [
      {
        txValuesUsd: [27.63],
        through: "4iUyyVmbmBKhSK6UbFGCVQYokHJru8FccFue5rXv3K8kYgHmTTE61LK5UFUB6qaxH3wShgNoRrW1aPCdtooNbc48",
      },
    ],
    nextBefore: null,
    isComplete: true,
  },
});
