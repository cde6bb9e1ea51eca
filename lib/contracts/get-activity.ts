import { z } from "zod";
import { ACTIVITY_TYPES } from "../domain/activity";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, exampleChange } from "./examples";
import {
  Address,
  AssetName,
  Lamports,
  Network,
  SignedBaseUnits,
  Timestamp,
  TxSignature,
  TxSignatureInput,
  Usd,
  WalletAddress,
} from "./scalars";

export const BalanceChange = z
  .strictObject({
    asset: AssetName.nullable(),
    symbol: z.string(),
    mint: Address,
    amount: SignedBaseUnits,
    decimals: z.int(),
    change: z.number().meta({ description: "The amount in coins; negative for what left the wallet" }),
  })
  .meta({
    id: "BalanceChange",
    description: "What the wallet gained or lost of one currency; SOL without the network fee",
  });

const Item = z
  .strictObject({
    txSignature: TxSignature,
    type: z.enum(ACTIVITY_TYPES),
    status: z.enum(["confirmed", "failed"]),
    slot: z.int(),
    time: Timestamp.nullable().meta({ description: "Null when the node does not know" }),
    amounts: z.array(BalanceChange).meta({ description: "SOL first; empty when nothing but a fee changed" }),
    tokenAccountDepositLamports: z.int().meta({
      description:
        "Of the SOL amount, the refundable rent that went into the wallet's own token accounts; negative when it came back",
    }),
    networkFeeLamports: Lamports.nullable().meta({ description: "What this wallet paid; null when another one paid" }),
    serviceFeeLamports: Lamports.nullable().meta({ description: "What fee collectors got; round-ups only" }),
    topup: z.boolean().meta({
      description: "Whether this `round_up` is a top-up: its memo says so, as that of every one with a period does",
    }),
    referenceHash: z.string().nullable().meta({
      description: "Of a `round_up` with a `reference`: the hash in its memo, hex",
    }),
    usdValue: Usd.nullable().meta({
      description:
        "At the prices of that moment: of what went into a swap, of what was saved, or of all that left or came, deposits included. Null where they are not known, or for a token without a price here",
    }),
    estimated: z.boolean().meta({
      description:
        "Whether `usdValue` uses the daily price nearest to that moment, because this service did not relay the transaction in the last 30 days",
    }),
    priceUsd: Usd.nullable().meta({
      description:
        "US dollars per SOL when this service relayed the transaction; null when it did not, and after 30 days",
    }),
  })
  .meta({ id: "ActivityItem" });

export const getActivityContract = defineContract({
  operation: "get-activity",
  method: "GET",
  path: "/api/activity/{address}",
  auth: "none",
  tag: "Public",
  summary: "What a wallet's transactions did to its balances, newest first",
  description:
    "Decoded from the chain: `round_up` paid a fee collector, `swap` gave one currency for another, `withdrawal` and `deposit` went one way, " +
    "`other` is the rest: failed transactions and those the node no longer has. Left out are transactions that only name the wallet without " +
    "changing what it holds, and those that do not name it, as a transfer into a token account it already has may do. A page can be shorter " +
    "than `limit`, and empty after some 60 that only name it; `nextBefore` says whether there is another. Counterparties are never named.",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject({
    limit: z.int().min(1).max(50).optional().meta({ description: "Items of a page; default 20" }),
    before: TxSignatureInput.optional().meta({ description: "Start after this one: `nextBefore` of the page before" }),
  }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    items: z.array(Item),
    nextBefore: TxSignature.nullable().meta({ description: "Null on the last page" }),
  }),
  errors: ["invalid_address"],
  example: { address: EXAMPLE_SERVICE_WALLET, limit: 2 },
  exampleAnswer: {
    walletAddress: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    items: [
      {
        txSignature: "23WBVRmw7xJ2qA5LRbAFKVXKgZWwmVxDe72sppYSvf4BKWhxVVj13q8ryBTvTJcTnNqVnFnc2AP6SeqnQsufoCe3",
        type: "swap",
        status: "confirmed",
        slot: 447552864,
        time: "2026-11-21T04:04:45.000Z",
        amounts: [exampleChange("SOL", -76825173n), exampleChange("BTC", 11217n)],
        tokenAccountDepositLamports: 2039280,
        networkFeeLamports: 5204,
        serviceFeeLamports: null,
        topup: false,
        referenceHash: null,
        usdValue: 11.217883,
        estimated: false,
        priceUsd: 150,
      },
      {
        txSignature: "65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc",
        type: "round_up",
        status: "confirmed",
        slot: 447552858,
        time: "2026-11-21T04:04:43.000Z",
        amounts: [exampleChange("SOL", 77406000n)],
        tokenAccountDepositLamports: 0,
        networkFeeLamports: null,
        serviceFeeLamports: 194000,
        topup: false,
        referenceHash: null,
        usdValue: 11.6109,
        estimated: false,
        priceUsd: 150,
      },
    ],
    nextBefore: "65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc",
  },
});
