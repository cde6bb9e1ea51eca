import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, Network, Usd, WalletAddress } from "./scalars";

export const getAllowanceContract = defineContract({
  operation: "get-allowance",
  method: "GET",
  path: "/api/allowance/{address}",
  auth: "none",
  tag: "Public",
  summary: "Read how much USDC a savings wallet may still take from a wallet",
  params: z.strictObject({ address: WalletAddress }),
  query: z.strictObject({ serviceWallet: WalletAddress }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    delegate: Address.nullable().describe(
      "The only wallet or program that may take USDC from the wallet's associated account. Null if there is none",
    ),
    isServiceWallet: z.boolean().describe("True if `delegate` is `serviceWallet`"),
    remainingUsd: Usd.describe(
      "What `serviceWallet` may still take, whatever the balance, one dollar for each USDC. 0 if it is not the delegate",
    ),
  }),
  errors: ["invalid_address"],
  example: { address: EXAMPLE_WALLET, serviceWallet: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_WALLET,
    network: "sandbox",
    delegate: EXAMPLE_SERVICE_WALLET,
    isServiceWallet: true,
    remainingUsd: 18.37,
  },
});
