import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, Network, WalletAddress } from "./scalars";

export const findServiceWalletsContract = defineContract({
  operation: "find-service-wallets",
  method: "GET",
  path: "/api/wallet/find",
  auth: "caller",
  tag: "Wallets",
  summary: "Find a wallet's savings wallets",
  description:
    "Ask before you derive a savings wallet from another kind of signature, because each kind gives another wallet. " +
    "The list has the payees of the wallet's newest saving of payments on the chain, and the savings wallets that the " +
    "wallet has registered here and that were paid. The chain does not tell a savings wallet from another payee: save " +
    "only into one whose key you have derived.",
  query: z.strictObject({
    wallet: WalletAddress.optional().describe("The wallet; required with a static key"),
  }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    serviceWallets: z.array(Address),
    isComplete: z.boolean().describe("False while the wallet's history is not fully read: ask again to read on"),
  }),
  errors: ["invalid_address", "wallet_required"],
  example: { wallet: EXAMPLE_WALLET },
  exampleAnswer: {
    walletAddress: EXAMPLE_WALLET,
    network: "sandbox",
    serviceWallets: [EXAMPLE_SERVICE_WALLET],
    isComplete: true,
  },
});
