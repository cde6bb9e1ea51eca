import { z } from "zod";
import { ASSET_SYMBOLS, PAY_ASSETS } from "../domain/assets";
import {
  CEILING_USD_RANGE,
  MULTIPLIER_RANGE,
  PAYMENT_USD_RANGE,
  type Range,
  ROUND_TO_USD_RANGE,
  SLIPPAGE_BPS_RANGE,
  THRESHOLD_USD_RANGE,
} from "../domain/limits";
import { NOTHING_SAVED } from "../domain/marks";
import {
  DEFAULT_CEILING_USD,
  DEFAULT_PLAN,
  DEFAULT_SLIPPAGE_BPS,
  DEFAULT_THRESHOLD_USD,
  PLAN_NAMES,
} from "../domain/plans";
import { REFERENCE_PATTERN } from "../domain/reference";
import { findWalletAddressFault, isTransactionSignature } from "../solana/ed25519";
import { memoize } from "../solana/memoize";
import { OFFCHAIN_FORMS } from "../solana/offchain-message";
import { TX_SIGNATURE_PATTERN } from "../solana/tx-signature";

/** A curve check takes longer than all other work of a request. */
const findCachedFault = memoize(20_000, findWalletAddressFault);

/** Keeps texts that are too long for an address out of the cache. */
const findAddressFault = (text: string) => (text.length > 44 ? findWalletAddressFault(text) : findCachedFault(text));

/** @param range of domain/limits */
export function limitToRange<Schema extends z.ZodNumber>(schema: Schema, range: Range): Schema {
  return ("above" in range ? schema.gt(range.above) : schema.min(range.min)).max(range.max);
}

/** The error code of the issue, instead of invalid_request. */
export const ADDRESS_ISSUE = { code: "invalid_address" } as const;

export const WalletAddress = z
  .string()
  .check(({ value, issues }) => {
    const fault = findAddressFault(value);
    if (fault) issues.push({ code: "custom", message: fault, params: ADDRESS_ISSUE, input: value, continue: true });
  })
  .meta({
    description: "A wallet's public key: base58 of 32 bytes, on the curve",
    pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
    examples: ["9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs"],
  });

/** In an answer. It comes from the chain and is not validated again. */
export const Address = z.string().describe("A Solana address, base58");

export const TxValueUsd = limitToRange(z.number(), PAYMENT_USD_RANGE).meta({
  description: "The payment in US dollars",
  examples: [27.63],
});
export const PlanTier = z.enum(PLAN_NAMES).describe(`Plan: sets the increment and the fee. Default ${DEFAULT_PLAN}`);
export const ByAllowance = z
  .literal("allowance")
  .describe("With `payWith: USDC`: the savings wallet signs and pays the network fee, by the allowance of userPubkey");
export const RoundToUsd = limitToRange(z.number(), ROUND_TO_USD_RANGE).describe(
  "Increment in US dollars, instead of the plan's",
);
export const CeilingUsd = limitToRange(z.number(), CEILING_USD_RANGE).describe(
  `The most to save of one payment, in US dollars. Default ${DEFAULT_CEILING_USD} × multiplier`,
);
export const Multiplier = limitToRange(z.int(), MULTIPLIER_RANGE).describe(
  "Multiplies the change before the ceiling. Default 1",
);
export const ThresholdUsd = limitToRange(z.number(), THRESHOLD_USD_RANGE).describe(
  `The least balance to invest, in US dollars. Default ${DEFAULT_THRESHOLD_USD}`,
);
export const SlippageBps = limitToRange(z.int(), SLIPPAGE_BPS_RANGE).describe(
  `The most that the price may move against you, in basis points. Default ${DEFAULT_SLIPPAGE_BPS}`,
);
export const AssetName = z.enum(ASSET_SYMBOLS);
export const PayWith = z.enum(PAY_ASSETS).describe("What pays. USDC works while it is worth one dollar. Default SOL");

export const Usd = z.number().describe("US dollars");
export const Sol = z.number().describe("SOL");
export const Lamports = z.int().nonnegative().describe("Lamports: 1 SOL is 1,000,000,000");
export const BaseUnits = z.string().regex(/^\d+$/).describe("Token base units, a decimal string");
const MAX_U64 = 2n ** 64n - 1n;
export const BaseUnitsInput = z
  .string()
  .regex(/^[1-9]\d{0,19}$/, "must be a positive whole number of base units, as a decimal string")
  .refine((text) => !/^\d{1,20}$/.test(text) || BigInt(text) <= MAX_U64, "is larger than any balance can be")
  .meta({ description: "Base units of the asset, a decimal string", examples: ["250000000"] });
export const SignedBaseUnits = z
  .string()
  .regex(/^-?\d+$/)
  .describe("Token base units, a decimal string; negative if they left the wallet");
/** `asset` is null for a token that is not supported. */
export const tokenAmountFields = {
  asset: AssetName.nullable(),
  symbol: z.string(),
  mint: Address,
  amount: BaseUnits,
  decimals: z.int(),
};
export const Base64 = z.string().meta({ description: "Base64", contentEncoding: "base64" });
export const Network = z.enum(["sandbox", "mainnet-beta"]);
export const TxSignature = z.string().describe("Transaction signature, base58");
export const TxSignatureInput = z
  .string()
  .refine(isTransactionSignature, "is not base58 of 64 bytes")
  .meta({ description: "Transaction signature, base58", pattern: TX_SIGNATURE_PATTERN.source });
/** The last saved payment. */
export const SavedThroughInput = z
  .string()
  .refine(
    (text) => text === NOTHING_SAVED || isTransactionSignature(text),
    `is neither base58 of 64 bytes nor ${NOTHING_SAVED}`,
  )
  .meta({ pattern: `^(${NOTHING_SAVED}|[1-9A-HJ-NP-Za-km-z]{64,88})$` });
export const Reference = z
  .string()
  .regex(REFERENCE_PATTERN, "must be 1 to 64 printable ASCII characters, and neither `.` nor `..`")
  .meta({ description: "Your name for an order, 1 to 64 printable ASCII characters", examples: ["order-1001"] });
export const ReferenceInput = Reference.optional().describe(
  "Your name for this order. POST /api/swap/execute saves each reference of a wallet once. A memo on the chain " +
    "carries its hash. The last transfer carries a key by which GET /api/references/{reference} finds it",
);
/** A transaction carries only one mark. */
export const createMarkIssue = (otherMark: string) => ({
  message: `does not go with ${otherMark}`,
  path: ["reference"],
});
export const Timestamp = z.string().meta({ description: "ISO 8601, UTC", format: "date-time" });

/** The service refuses what is not a signature, with a more specific error. */
export const SignatureBase64 = z
  .string()
  .max(200)
  .meta({ description: "Ed25519 signature, canonical base64 of 64 bytes", contentEncoding: "base64" });

/** Absent for the plain text. */
export const OffchainFormField = z
  .enum(OFFCHAIN_FORMS)
  .optional()
  .describe("Send it if `signature` is over an off-chain message that says the text: its version");

/** Arguments of `refine`. */
export const FORM_NEEDS_SIGNATURE: [
  check: (body: { form?: unknown; signature?: unknown }) => boolean,
  params: { message: string; path: string[] },
] = [
  ({ form, signature }) => form === undefined || signature !== undefined,
  { message: "goes with signature", path: ["form"] },
];

export const Instruction = z
  .strictObject({
    programId: Address,
    accounts: z.array(z.strictObject({ pubkey: Address, isSigner: z.boolean(), isWritable: z.boolean() })),
    data: Base64,
  })
  .meta({ id: "Instruction", description: "One Solana instruction" });

export const LeftOut = z
  .strictObject({
    account: Address.nullable().describe("The token account; null for a whole list of accounts"),
    reason: z.string(),
  })
  .meta({ id: "LeftOut", description: "Tokens that could not be read, although everything else could" });

export const UnsignedTransaction = z
  .strictObject({
    base64: Base64,
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
    validForMs: z
      .int()
      .describe("How long the network takes the transaction, counted from your request, at the present slot time"),
  })
  .meta({ id: "UnsignedTransaction", description: "A v0 transaction, ready to sign" });

/** `transaction` repeats the bytes of `unsigned`. */
export const builtTransactionFields = {
  transaction: Base64,
  lastValidBlockHeight: z.int(),
  unsigned: UnsignedTransaction,
};

export const pageFields = {
  limit: z.int().min(1).max(50).optional().describe("Items on one page; default 20"),
  before: TxSignatureInput.optional().describe("Returns only older items. Pass `nextBefore` of the previous page"),
};
export const NextBefore = TxSignature.nullable().describe("Null on the last page");
export const BlockTime = Timestamp.nullable().describe("Null if the node does not know the time");
