import { z } from "zod";
import { EVENT_TYPES } from "../domain/events";
import { defineContract } from "./define";
import { createExampleChange, EXAMPLE_WALLET } from "./examples";
import { BalanceChange } from "./get-activity";
import { Address, Timestamp, TxSignature, WalletAddress } from "./scalars";

/** Builds of other callers do not count. */
export const BuildComparison = {
  expected: z
    .array(BalanceChange)
    .nullable()
    .describe(
      "What the wallet pays as you built it under this reference, the fee included: the least of your builds of one " +
        "amount. A build of another amount, plan or savings wallet replaces them. Null if you have built nothing in " +
        "the last 30 days",
    ),
  asBuilt: z
    .boolean()
    .nullable()
    .describe(
      "True if a confirmed transaction moves at least what you built into the savings wallet that you named, and at " +
        "least its fee. False if it moves less, or elsewhere. Null if you have built nothing, or nothing is confirmed",
    ),
};

const FeedEvent = z
  .strictObject({
    sequence: z.int().describe("Counts the events of this feed from 1, without gaps or repeats"),
    type: z
      .enum(EVENT_TYPES)
      .describe(
        "`transaction.confirmed`: it is confirmed, and no other type fits. `transaction.failed`: it failed on the chain. `transaction.expired`: it can no longer land",
      ),
    time: Timestamp.describe("When the service learned the outcome"),
    wallet: Address.describe("The wallet that paid the network fee"),
    txSignature: TxSignature,
    reference: z.string().nullable().describe("`reference` of a saving that this service built in the last 30 days"),
    amounts: z
      .array(BalanceChange)
      .describe(
        "Balance changes of the wallet, SOL first. Empty unless confirmed, or if no node returned it within an hour",
      ),
    ...BuildComparison,
  })
  .meta({ id: "Event" });

export const getEventsContract = defineContract({
  operation: "get-events",
  method: "GET",
  path: "/api/events",
  auth: "caller",
  tag: "Swaps",
  summary: "List the outcomes of submitted transactions, in order",
  description:
    "Each transaction that POST /api/swap/execute sends ends in exactly one event of each of its feeds: the feed of " +
    "the wallet that pays its network fee, and of each wallet or static key that submitted it while it was pending. " +
    "Events are kept for 30 days. To follow a feed, repeat the call with `after` set to `next` and with `wait`. An " +
    "event whose `asBuilt` is false closes no order: the wallet has signed another amount.",
  query: z.strictObject({
    wallet: WalletAddress.optional().describe(
      "The wallet whose feed to read. Default: the caller's own feed. Only a static key may name another wallet",
    ),
    after: z
      .int()
      .min(0)
      .optional()
      .describe("Returns events after this sequence; default 0. A sequence that the feed has not reached is refused"),
    limit: z.int().min(1).max(100).optional().describe("Maximum number of events; default 100"),
    wait: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe(
        "Seconds to wait for the next event when there is none; default 0. At most 1,000 calls wait at a time, 20 of an address",
      ),
  }),
  data: z.strictObject({
    feed: z
      .string()
      .describe(
        "Id of the feed, unchanged when a static key is replaced by one of the same name. Store `next` by feed, not key",
      ),
    events: z.array(FeedEvent).describe("Oldest first"),
    next: z.int().describe("The `after` of the next call"),
    retryAfterMs: z
      .int()
      .positive()
      .optional()
      .describe("Present if too many calls wait already, so that this one did not: the pause before the next call"),
  }),
  errors: ["invalid_address"],
  isLongRunning: true,
  example: { wallet: EXAMPLE_WALLET, limit: 1 },
  exampleAnswer: {
    feed: `wallet:${EXAMPLE_WALLET}`,
    events: [
      {
        sequence: 1,
        type: "saving.confirmed",
        time: "2026-11-21T04:04:43.000Z",
        wallet: EXAMPLE_WALLET,
        txSignature: "65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc",
        reference: "order-1001",
        amounts: [createExampleChange("SOL", -77600000n)],
        expected: [createExampleChange("SOL", -77600000n)],
        asBuilt: true,
      },
    ],
    next: 1,
  },
});
