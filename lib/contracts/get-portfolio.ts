import { z } from "zod";
import { defineContract } from "./define";
import { Address, AssetName, BaseUnits, Lamports, Network, Sol, Timestamp, Usd, WalletAddress } from "./scalars";

const Balance = z
  .strictObject({
    asset: AssetName.nullable(),
    symbol: z.string(),
    mint: Address,
    balance: z.number().meta({ description: "Coins" }),
    amount: BaseUnits,
    decimals: z.int(),
    priceUsd: Usd.nullable(),
    usdValue: Usd.nullable(),
  })
  .meta({ id: "Balance", description: "One mint held; unpriced is null, never 0" });

export const getPortfolioContract = defineContract({
  operation: "get-portfolio",
  method: "GET",
  path: "/api/portfolio/{address}",
  auth: "none",
  tag: "Public",
  summary: "All balances of any wallet and their USD values",
  params: z.strictObject({ address: WalletAddress }),
  data: z.strictObject({
    walletAddress: Address,
    network: Network,
    balances: z.array(Balance),
    totalUsd: Usd.nullable().meta({ description: "Sum of what is priced; null when no price is available" }),
    pendingSol: Sol,
    pendingLamports: Lamports,
    pendingUsd: Usd.nullable(),
    solPriceUsd: Usd.nullable(),
    asOf: Timestamp,
  }),
  errors: ["invalid_address", "upstream_unavailable", "upstream_invalid", "upstream_timeout"],
});
