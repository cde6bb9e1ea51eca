import { z } from "zod";
import { buildSystemTransfer } from "../solana/system-instructions";
import { defineContract } from "./define";
import { composeExample, createExampleChange, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { BalanceChange } from "./get-activity";
import { Address, UnsignedTransaction, Usd, WalletAddress } from "./scalars";

const ShopPayment = z
  .strictObject({ shop: z.string(), amounts: z.array(BalanceChange), usdValue: Usd, unsigned: UnsignedTransaction })
  .meta({ id: "ShopPayment" });

export const buildPaymentsContract = defineContract({
  operation: "build-payments",
  method: "POST",
  path: "/api/sandbox/spend",
  auth: "none",
  tag: "Service",
  summary: "Build unsigned payments to a few shops; exists only in the sandbox",
  description:
    "The wallet pays in USDC while it has some, and otherwise in SOL. It makes fewer payments when its money is " +
    "not enough. Sign each one and post it to POST /api/swap/execute.",
  body: z.strictObject({
    address: WalletAddress,
    count: z.int().min(1).max(7).optional().describe("Number of payments; default 3"),
  }),
  data: z.strictObject({ address: Address, payments: z.array(ShopPayment) }),
  errors: ["invalid_address", "not_found", "price_stale"],
  onlyNetwork: "sandbox",
  example: { address: EXAMPLE_WALLET, count: 1 },
  exampleAnswer: {
    address: EXAMPLE_WALLET,
    payments: [
      {
        shop: "Corner Coffee",
        amounts: [createExampleChange("SOL", -28200000n)],
        usdValue: 4.23,
        unsigned: composeExample([buildSystemTransfer(EXAMPLE_WALLET, EXAMPLE_SERVICE_WALLET, 28200000n)], 0).unsigned,
      },
    ],
  },
});
