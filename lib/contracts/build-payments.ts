import { z } from "zod";
import { defineContract } from "./define";
import { createExampleChange, EXAMPLE_WALLET } from "./examples";
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
        unsigned: {
          base64:
            "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQABA/vh1MenUbIOQxFrFMYtAQfqJB+DmbXvSx7nc2vUvUwW5ftvYU7XTtrYs+tU9sbzaQ2dnsPp65ZcqS/yWYwTJSgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAL6yvmrUJHTPM3ygRRPtD7WJ9GyaqJy4OcYkclsDxv8pAQICAAEMAgAAAEBLrgEAAAAAAA==",
          blockhash: "DqQYak2SEVj6UctdrpNwzhNzacxHU26vnPBVURvuT2YG",
          lastValidBlockHeight: 426553006,
          validForMs: 30000,
        },
      },
    ],
  },
});
