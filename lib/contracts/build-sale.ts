import { z } from "zod";
import { SALE_TARGETS, TRADED_ASSETS } from "../domain/assets";
import { defineContract } from "./define";
import { createExampleTransaction, EXAMPLE_SERVICE_WALLET } from "./examples";
import {
  AssetName,
  BaseUnits,
  BaseUnitsInput,
  builtTransactionFields,
  SlippageBps,
  Sol,
  Usd,
  WalletAddress,
} from "./scalars";
import { createExampleQuote, createFundingFields, SwapQuote, swapInputFields } from "./swap-fields";

const describeMissing = ({ input }: { input?: unknown }) => (input === undefined ? "is required" : undefined);

export const buildSaleContract = defineContract({
  operation: "build-sale",
  method: "POST",
  path: "/api/swap/sell",
  auth: "caller",
  tag: "Swaps",
  summary: "Build the unsigned sale of an asset for SOL or USDC",
  description:
    "Reverses POST /api/swap/build. Sign the transaction with the savings wallet and post it to POST " +
    "/api/swap/execute. The proceeds stay in the savings wallet, and SOL arrives unwrapped. A main wallet can sell " +
    "too, for example USDC for the SOL that network fees take: send its address, and sign with it. Older mints that " +
    "count as the asset are not sold. With `ready: false`, `reason` explains why nothing was built. Sales are " +
    "never paused.",
  body: z
    .strictObject({
      serviceWalletPubkey: WalletAddress,
      asset: z.enum(TRADED_ASSETS, { error: describeMissing }),
      amount: BaseUnitsInput.optional(),
      all: z.literal(true).optional().describe("Sells the whole balance. Send either this or `amount`"),
      into: z.enum(SALE_TARGETS, { error: describeMissing }),
      slippageBps: SlippageBps.optional(),
    })
    .refine(({ all, amount }) => (all === undefined) !== (amount === undefined), {
      message: "send exactly one of all and amount",
      path: ["all"],
    })
    .refine(({ asset, into }) => asset !== into, {
      message: "must be another asset than the one sold",
      path: ["into"],
    }),
  data: z.strictObject({
    ready: z.boolean(),
    reason: z.string().nullable(),
    balanceSol: Sol.describe("SOL of the savings wallet, which pays the network fee"),
    balanceAmount: BaseUnits.describe("The wallet's balance of the asset, base units"),
    balanceUsd: Usd.describe("Value of `balanceAmount` in US dollars"),
    ...createFundingFields(
      "Lamports that the wallet lacks for the fee, the deposit and the reserve. 0 when it has enough",
      "SOL that stays in the wallet: its own rent. A sale into SOL needs the rent of a temporary wrapped-SOL account " +
        "instead, if that is larger. Withdrawing everything returns the reserve",
    ),
    transactions: z.array(
      z.strictObject({
        asset: AssetName,
        ...swapInputFields,
        ...builtTransactionFields,
        quote: SwapQuote,
      }),
    ),
  }),
  errors: ["invalid_address", "wallet_not_allowed", "no_route", "simulation_failed", "price_stale"],
  example: { serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, asset: "BTC", all: true, into: "USDC" },
  exampleAnswer: {
    ready: true,
    reason: null,
    balanceSol: 0.00303516,
    balanceAmount: "11217",
    balanceUsd: 11.217,
    neededLamports: 0,
    neededUsd: 0,
    costs: { networkFeeLamports: 5360, tokenAccountDepositLamports: 2039280, reserveLamports: 890880 },
    transactions: [
      {
        asset: "BTC",
        inputMint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij",
        inputAmount: "11217",
        ...createExampleTransaction(
          "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAGC+X7b2FO107a2LPrVPbG82kNnZ7D6euWXKkv8lmMEyUoJWI5vlDAN4dmAz0MHIQTfzAHKfYI6RhjtBvGhk3NfhhG5n/XbNz36HyVuujACJtuuO83qr0OwwSBciUpNrlaJBpu1wGd/DPRssw69t0AO3j5ZTrcVvq5uSWqAdy0q/DpOCiv8F4+shD22onXUL+pwiEj+gc6k7gaRMdJvw30fhUDBkZv5SEXMv/srbpyw5vnvIzlu8X3EmssQ5s6QAAAAIyXJY9OJInxuz0QKRSODYMLWhOZ2v8QhASOe9jb6fhZxvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpCR5z0XpVJtRI5Ymupa/nwizWHFtmqGpCerJiMJUU5Vxlms+yHJq55SsZZxI5HZbAZXKSUJzh4+qUKr/Jfi6C4wUFAAUCoIwAAAUACQMQJwAAAAAAAAYGAAEABwgJAQEJBAIKAwAKDNErAAAAAAAACAkEBAcBAAoMaCirAAAAAAAGAA==",
        ),
        quote: createExampleQuote("BTC", 11217n, "USDC", {
          amount: 11217000n,
          minimum: 11104830n,
          priceImpact: 5.6085e-7,
          priceUsd: 1,
        }),
      },
    ],
  },
});
