import { z } from "zod";
import { KNOWN_TOKEN_SYMBOLS } from "../domain/assets";
import { defineContract } from "./define";
import { createExampleAmount, createExampleTransaction, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import {
  Address,
  Base64,
  BaseUnitsInput,
  builtTransactionFields,
  Lamports,
  LeftOut,
  tokenAmountFields,
  WalletAddress,
} from "./scalars";

const WithdrawnAmount = z
  .strictObject(tokenAmountFields)
  .meta({ id: "Withdrawn", description: "An amount of one token that a transaction sends to the destination" });

export const buildWithdrawContract = defineContract({
  operation: "build-withdraw",
  method: "POST",
  path: "/api/withdraw/build",
  auth: "caller",
  tag: "Wallets",
  summary: "Build unsigned transactions that empty a savings wallet, or send a part of it",
  description:
    "Sign each transaction with the savings wallet and post them to POST /api/swap/execute, in order. `all` sends " +
    "every token, closes the token accounts so that their deposits return, and sends the SOL down to exactly 0. " +
    "`asset` sends one asset: all of it, or `amount`. It includes the older mints that count as the asset. SOL is " +
    "unwrapped first, and the wallet keeps exactly 0 SOL or at least the rent-exempt minimum. With `ready: " +
    "false`, `reason` explains why nothing was built.",
  body: z
    .strictObject({
      serviceWalletPubkey: WalletAddress,
      destination: WalletAddress,
      all: z.literal(true).optional().describe("Withdraws everything. Send either this or `asset`"),
      asset: z.enum(KNOWN_TOKEN_SYMBOLS).optional().describe("A supported asset or dollar token"),
      amount: BaseUnitsInput.optional().describe("Base units of the asset (lamports for SOL). Default: all of it"),
      keepRentMinimum: z
        .boolean()
        .optional()
        .describe(
          "Set this after a withdrawal failed with `simulation_failed` or `transaction_failed`. The build then " +
            "sends supported assets and dollar tokens only, keeps at least the rent-exempt minimum, and leaves token accounts open unless " +
            "it needs their deposits. A stranger's transfer to the wallet can then not make it fail again",
        ),
    })
    .refine(({ all, asset }) => (all === undefined) !== (asset === undefined), {
      message: "send exactly one of all and asset",
      path: ["all"],
    })
    .refine(({ asset, amount }) => amount === undefined || asset !== undefined, {
      message: "is allowed only together with asset",
      path: ["amount"],
    }),
  data: z.strictObject({
    ready: z.boolean(),
    reason: z.string().nullable(),
    destination: Address,
    transactions: z
      .array(
        z.strictObject({
          assets: z.array(WithdrawnAmount),
          ...builtTransactionFields,
          transaction: Base64.describe("Unsigned v0 transaction, base64; the savings wallet alone signs"),
          networkFeeLamports: Lamports,
        }),
      )
      .describe("Execute them in order"),
    complete: z
      .boolean()
      .describe("False if the wallet has more token accounts than one build takes. Execute these, then build again"),
    leftBehind: z
      .array(z.strictObject({ ...tokenAmountFields, reason: z.string() }))
      .describe(
        "Requested tokens that stay, each with its reason. They cannot be sent, or sending them would cost more than " +
          "it returns. Tokens that could not be read are in `leftOut`",
      ),
    leftOut: z
      .array(LeftOut)
      .describe("Tokens that could not be read. No other list, such as `leftBehind`, contains them"),
    costs: z.strictObject({
      networkFeeLamports: Lamports,
      tokenAccountDepositLamports: Lamports.describe("Refundable rent of accounts opened for the destination"),
      returnedDepositLamports: Lamports.describe("What closed token accounts return: rent and wrapped SOL"),
    }),
    missingLamports: Lamports.describe(
      "Lamports that the savings wallet lacks for fees and deposits; 0 when nothing is missing or there is nothing " +
        "to send. With `keepRentMinimum`: how many more it needs so that no token account must be closed. This can be " +
        "above 0 even if `ready` is true",
    ),
    remainingLamports: Lamports.describe("The savings wallet's balance afterwards"),
    receivedLamports: Lamports.describe("Lamports that the destination receives"),
  }),
  errors: ["invalid_address", "wallets_equal", "wallet_not_allowed", "simulation_failed"],
  example: { serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, destination: EXAMPLE_WALLET, all: true },
  exampleAnswer: {
    ready: true,
    reason: null,
    destination: EXAMPLE_WALLET,
    transactions: [
      {
        assets: [createExampleAmount("BTC", 11217n), createExampleAmount("SOL", 3024956n)],
        ...createExampleTransaction(
          "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAECOX7b2FO107a2LPrVPbG82kNnZ7D6euWXKkv8lmMEyUoUukhu7J1xLvv+EGHCtj7k+8Y6/hToLBGpKWf8ehXN7n74dTHp1GyDkMRaxTGLQEH6iQfg5m170se53Nr1L1MFkbmf9ds3PfofJW66MAIm2647zeqvQ7DBIFyJSk2uVokjJclj04kifG7PRApFI4NgwtaE5na/xCEBI572Nvp+FkJHnPRelUm1Ejlia6lr+fCLNYcW2aoakJ6smIwlRTlXAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKlXd2VAT9zvdA4esFr7HMCssicWr6S79Co9M9XX9HV+9QQEBgABAgUGBwEBBwQDBQEACgzRKwAAAAAAAAgHAwMAAAEJBgIAAgwCAAAAPCguAAAAAAAA",
        ),
        networkFeeLamports: 5000,
      },
    ],
    complete: true,
    leftBehind: [],
    leftOut: [],
    costs: { networkFeeLamports: 5000, tokenAccountDepositLamports: 2039280, returnedDepositLamports: 2039280 },
    missingLamports: 0,
    remainingLamports: 0,
    receivedLamports: 3024956,
  },
});
