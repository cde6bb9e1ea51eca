import { z } from "zod";
import { ACTIVITY_TYPES } from "../domain/activity";
import { defineContract } from "./define";
import { createExampleChange, EXAMPLE_SERVICE_WALLET } from "./examples";
import {
  Address,
  BlockTime,
  Lamports,
  Network,
  NextBefore,
  pageFields,
  SignedBaseUnits,
  TxSignature,
  tokenAmountFields,
  Usd,
  WalletAddress,
} from "./scalars";

export const BalanceChange = z
  .strictObject({
    ...tokenAmountFields,
    amount: SignedBaseUnits,
    change: z.number().describe("The amount in coins; negative if it left the wallet"),
  })
  .meta({
    id: "BalanceChange",
    description: "The wallet's change of balance in one currency. SOL excludes the network fee",
  });

export const Pulled = z
  .strictObject({ by: Address.describe("The delegate: a card, a subscription or another app") })
  .nullable()
  .describe(
    "Set if the wallet did not sign, because a delegate moved dollar tokens out of one of its token accounts; else null",
  );

const Item = z
  .strictObject({
    txSignature: TxSignature,
    type: z.enum(ACTIVITY_TYPES),
    status: z.enum(["confirmed", "failed"]),
    slot: z.int(),
    time: BlockTime,
    amounts: z.array(BalanceChange).describe("SOL first; empty if only a fee changed the balance"),
    tokenAccountDepositLamports: z
      .int()
      .describe("Change of the rent in the wallet's own token accounts; negative if it was returned"),
    networkFeeLamports: Lamports.nullable().describe(
      "Network fee that this wallet paid; null if another wallet paid it",
    ),
    serviceFeeLamports: Lamports.nullable().describe(
      "Lamports that fee collectors received; null unless `type` is `round_up`",
    ),
    serviceFeeUnits: z
      .int()
      .nonnegative()
      .nullable()
      .describe("Base units of USDC that fee collectors received; null unless `type` is `round_up`"),
    topup: z
      .boolean()
      .describe("True if the memo marks this `round_up` as a top-up. Every top-up with a period has that memo"),
    referenceHash: z.string().nullable().describe("The hash in the memo of a `round_up` with a `reference`, hex"),
    usdValue: Usd.nullable().describe(
      "The value at the prices of that moment: of a swap's input, of the saved amount, or of everything that left " +
        "or arrived, deposits included. Null if a price is unknown. Dollar tokens count as in GET /api/spending",
    ),
    estimated: z
      .boolean()
      .describe(
        "True if `usdValue` uses the day's price, or the market price of a dollar token that lost its peg; otherwise " +
          "false if relayed here within 30 days",
      ),
    pulled: Pulled,
    priceUsd: Usd.nullable().describe("US dollars per SOL when relayed; null if not relayed here, and after 30 days"),
  })
  .meta({ id: "ActivityItem" });

const EXAMPLE_FIELDS = {
  status: "confirmed",
  topup: false,
  referenceHash: null,
  estimated: false,
  pulled: null,
  priceUsd: 150,
} as const;

export const getActivityContract = defineContract({
  operation: "get-activity",
  method: "GET",
  path: "/api/activity/{address}",
  auth: "none",
  tag: "Public",
  summary: "List a wallet's transactions and the changes of its balances, newest first",
  description:
    "The types are decoded from the chain. A `round_up` paid a fee collector. A `swap` exchanged one currency for " +
    "another. A `withdrawal` or a `deposit` moved money in one direction. `other` includes failed transactions " +
    "and those that the node no longer has. The list omits transactions that changed none of the wallet's " +
    "balances, and those that do not name the wallet, such as a transfer into one of its token accounts. It has the " +
    "savings in USDC, and the payments that a delegate pulled out of an associated account of a dollar token: `pulled` " +
    "names the delegate. A page can be shorter than `limit`, and even empty; `nextBefore` says whether another page exists. It is longer if " +
    "its transactions are of one slot. Other counterparties are never named.",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject(pageFields),
  data: z.strictObject({ walletAddress: Address, network: Network, items: z.array(Item), nextBefore: NextBefore }),
  errors: ["invalid_address"],
  example: { address: EXAMPLE_SERVICE_WALLET, limit: 2 },
  exampleAnswer: {
    walletAddress: EXAMPLE_SERVICE_WALLET,
    network: "sandbox",
    items: [
      {
        ...EXAMPLE_FIELDS,
        txSignature: "23WBVRmw7xJ2qA5LRbAFKVXKgZWwmVxDe72sppYSvf4BKWhxVVj13q8ryBTvTJcTnNqVnFnc2AP6SeqnQsufoCe3",
        type: "swap",
        slot: 447552864,
        time: "2026-11-21T04:04:45.000Z",
        amounts: [createExampleChange("SOL", -76825173n), createExampleChange("BTC", 11217n)],
        tokenAccountDepositLamports: 2039280,
        networkFeeLamports: 5204,
        serviceFeeLamports: null,
        serviceFeeUnits: null,
        usdValue: 11.217883,
      },
      {
        ...EXAMPLE_FIELDS,
        txSignature: "65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc",
        type: "round_up",
        slot: 447552858,
        time: "2026-11-21T04:04:43.000Z",
        amounts: [createExampleChange("SOL", 77406000n)],
        tokenAccountDepositLamports: 0,
        networkFeeLamports: null,
        serviceFeeLamports: 194000,
        serviceFeeUnits: 0,
        usdValue: 11.6109,
      },
    ],
    nextBefore: "65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc",
  },
});
