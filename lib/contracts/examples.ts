import { z } from "zod";
import { ASSETS, type AssetSymbol } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { toCoins, toMicroUsd } from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import { type RoundUpTerms, toRoundUpFields, toRoundUpTerms } from "../domain/round-up";
import type { InstructionLike } from "../solana/instructions";
import { buildSystemTransfer } from "../solana/system-instructions";
import { buildApproveChecked, buildRevoke } from "../solana/token-instructions";
import type { Contract } from "./define";

/** Wallets of all examples, so that requests and answers are consistent. Shell examples use variables instead. */
export const EXAMPLE_WALLET = "HxF4PMsbDqcuUMdrsYtiopC6DgEbebC4A34SE4yCKrLd";
export const EXAMPLE_SERVICE_WALLET = "GUkjXdyq4Z9khP59FsNpRnYThWvgRUu1Lgm1JU17BwLK";
const EXAMPLE_COLLECTOR = "9VESniKzYAiJK7ZYJkWEvpVKj6Ef5VVjCJYmPkUCF2LA";
export const EXAMPLE_KEY_ID = "a11b654c308b17b4";
/** Placeholder for a value that only the caller can create: a signature or a signed transaction. */
export const EXAMPLE_PLACEHOLDER = "…";

const EXAMPLE_SOL_PRICE_USD = 150;

/** Returns the answer fields of change that add up to `roundUpUsd`, at EXAMPLE_SOL_PRICE_USD. */
export function createExampleRoundUp(txValueUsd: number, roundUpUsd: number, terms: RoundUpTerms) {
  const roundUp = { microUsd: toMicroUsd(roundUpUsd), skipped: false, capped: false };
  return toRoundUpFields(toMicroUsd(txValueUsd), terms, roundUp, toMicroUsd(EXAMPLE_SOL_PRICE_USD));
}

/** The change of a payment of 27.63 dollars on the plan Tree. */
export const EXAMPLE_ROUND_UP = createExampleRoundUp(27.63, 0.37, toRoundUpTerms({ plan: "tree" }));

/** Returns the answer that builds the transfers of this change. The service wallet exists already. */
export function createExampleWrap<T>(roundUp: ReturnType<typeof createExampleRoundUp>, transaction: T) {
  const [roundUpLamports, serviceFeeLamports] = [Number(roundUp.roundUpLamports), Number(roundUp.serviceFeeLamports)];
  const userInvestmentLamports = roundUpLamports - serviceFeeLamports;
  const networkFeeLamports = EXAMPLE_FEE_LAMPORTS;
  return {
    instructions: [
      buildSystemTransfer(EXAMPLE_WALLET, EXAMPLE_COLLECTOR, BigInt(serviceFeeLamports)),
      buildSystemTransfer(EXAMPLE_WALLET, EXAMPLE_SERVICE_WALLET, BigInt(userInvestmentLamports)),
    ],
    transaction,
    unsigned: transaction,
    computeUnits: 600,
    affordable: true,
    shortOf: null,
    breakdown: {
      ...roundUp,
      roundUpLamports,
      serviceFeeLamports,
      userInvestmentLamports,
      activationLamports: 0,
      roundUpUnits: 0,
      serviceFeeUnits: 0,
      userInvestmentUnits: 0,
      tokenAccountDepositLamports: 0,
      networkFeeLamports,
      totalLamports: roundUpLamports + networkFeeLamports,
      feeCollector: EXAMPLE_COLLECTOR,
    },
  };
}

/** The network fee of the examples, lamports. */
const EXAMPLE_FEE_LAMPORTS = 5000;

/** Returns the answer that builds an allowance of 25 USDC. The service wallet needs nothing for it. */
export function createExampleAllowance<T>(transaction: T) {
  const amount = 25_000_000n;
  const token = { account: deriveUsdcAccount(EXAMPLE_WALLET), owner: EXAMPLE_WALLET, ...ASSETS.USDC };
  const composed = composeExample(
    buildApproveChecked({ ...token, delegate: EXAMPLE_SERVICE_WALLET, amount }),
    transaction,
  );
  const costs = { reserveLamports: 0, serviceFeeLamports: 0, tokenAccountDepositLamports: 0, feeCollector: null };
  return { ...composed, breakdown: { amountUsd: 25, amountUnits: String(amount), ...costs, ...composed.breakdown } };
}

/** Returns the answer that builds the end of an allowance. */
export const createExampleRevocation = <T>(transaction: T) =>
  composeExample(buildRevoke({ account: deriveUsdcAccount(EXAMPLE_WALLET), owner: EXAMPLE_WALLET }), transaction);

const composeExample = <T>(instruction: InstructionLike, transaction: T) => ({
  instructions: [instruction],
  transaction,
  unsigned: transaction,
  computeUnits: 500,
  affordable: true,
  shortOf: null,
  breakdown: { networkFeeLamports: EXAMPLE_FEE_LAMPORTS, totalLamports: EXAMPLE_FEE_LAMPORTS },
});

/** Returns an amount in base units in the form in which answers list it. */
export function createExampleAmount(asset: AssetSymbol, amount: bigint) {
  const { mint, decimals } = ASSETS[asset];
  return { asset, symbol: asset, mint, amount: String(amount), decimals };
}

/** Returns a change of balance, in base units, in the form in which answers list it. */
export const createExampleChange = (asset: AssetSymbol, amount: bigint) => ({
  ...createExampleAmount(asset, amount),
  change: toCoins(amount, ASSETS[asset].decimals),
});

/** Returns the output of a sandbox swap in the form in which quotes list it. Amounts are base units. */
export function createExampleOutput(
  asset: AssetSymbol,
  output: { amount: bigint; minimum: bigint; priceImpact: number; priceUsd: number },
) {
  const { amount, minimum, priceImpact, priceUsd } = output;
  return {
    targetAsset: asset,
    outputMint: ASSETS[asset].mint,
    outputAmount: String(amount),
    outputDecimals: ASSETS[asset].decimals,
    minimumOutputAmount: String(minimum),
    slippageBps: DEFAULT_SLIPPAGE_BPS,
    priceImpact,
    route: ["Sandbox Maker"],
    priceUsd,
    warning: null,
  };
}

export const createExampleTransaction = <T extends { base64: string; lastValidBlockHeight: number }>(unsigned: T) => ({
  transaction: unsigned.base64,
  lastValidBlockHeight: unsigned.lastValidBlockHeight,
  unsigned,
});

/** Returns a contract's example as path, query and body. `body` is undefined when the operation takes none. */
export function createExampleRequest({ path, params, query, body, example = {} }: Contract) {
  const listNames = (part: z.ZodType | undefined) => (part instanceof z.ZodObject ? Object.keys(part.shape) : []);
  const pickFields = (isIncluded: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(example).filter(([name]) => isIncluded(name)));
  const [pathNames, queryNames] = [listNames(params), listNames(query)];
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name])),
    query: pickFields((name) => queryNames.includes(name)),
    body: body && pickFields((name) => !pathNames.includes(name) && !queryNames.includes(name)),
  };
}
