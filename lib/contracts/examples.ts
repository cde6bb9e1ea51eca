import { z } from "zod";
import { ASSETS, type AssetSymbol } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { toCoins, toMicroUsd } from "../domain/money";
import { type RoundUpTerms, toRoundUpFields, toRoundUpTerms } from "../domain/round-up";
import { fromBase64, toBase64 } from "../solana/bytes";
import type { InstructionLike } from "../solana/instructions";
import { buildSystemTransfer } from "../solana/system-instructions";
import { buildApproveChecked, buildRevoke } from "../solana/token-instructions";
import { composeTransaction, decodeTransaction } from "../solana/transactions";
import type { Contract } from "./define";

/** The wallets of all examples. Shell examples use variables instead. */
export const EXAMPLE_WALLET = "HxF4PMsbDqcuUMdrsYtiopC6DgEbebC4A34SE4yCKrLd";
export const EXAMPLE_SERVICE_WALLET = "GUkjXdyq4Z9khP59FsNpRnYThWvgRUu1Lgm1JU17BwLK";
const EXAMPLE_COLLECTOR = "9VESniKzYAiJK7ZYJkWEvpVKj6Ef5VVjCJYmPkUCF2LA";
export const EXAMPLE_KEY_ID = "a11b654c308b17b4";
/** For a value that only the caller can create: a signature or a signed transaction. */
export const EXAMPLE_PLACEHOLDER = "…";

const EXAMPLE_SOL_PRICE_USD = 150;

/** Returns the answer fields of change that add up to `roundUpUsd`, at EXAMPLE_SOL_PRICE_USD. */
export function createExampleRoundUp(txValueUsd: number, roundUpUsd: number, terms: RoundUpTerms) {
  const roundUp = { microUsd: toMicroUsd(roundUpUsd), skipped: false, capped: false };
  return toRoundUpFields(toMicroUsd(txValueUsd), terms, roundUp, toMicroUsd(EXAMPLE_SOL_PRICE_USD));
}

/** The change of a payment of 27.63 dollars on the plan Tree. */
export const EXAMPLE_ROUND_UP = createExampleRoundUp(27.63, 0.37, toRoundUpTerms({ plan: "tree" }));

const EXAMPLE_BLOCKHASH = "DqQYak2SEVj6UctdrpNwzhNzacxHU26vnPBVURvuT2YG";
/** Lamports. */
const EXAMPLE_FEE_LAMPORTS = 5000;

const createExampleUnsigned = (base64: string, blockhash: string) => ({
  base64,
  blockhash,
  lastValidBlockHeight: 426553006,
  validForMs: 30000,
});

/** Instructions that EXAMPLE_WALLET pays for, as builds answer them. */
export function composeExample(instructions: InstructionLike[], computeUnits: number) {
  const { bytes } = composeTransaction({ payer: EXAMPLE_WALLET, blockhash: EXAMPLE_BLOCKHASH, instructions });
  const transaction = createExampleUnsigned(toBase64(bytes), EXAMPLE_BLOCKHASH);
  return { instructions, transaction, unsigned: transaction, computeUnits, affordable: true, shortOf: null };
}

/** Builds the transfers of this change. The service wallet exists already. */
export function createExampleWrap(roundUp: ReturnType<typeof createExampleRoundUp>) {
  const [roundUpLamports, serviceFeeLamports] = [Number(roundUp.roundUpLamports), Number(roundUp.serviceFeeLamports)];
  const userInvestmentLamports = roundUpLamports - serviceFeeLamports;
  const transfers = [
    buildSystemTransfer(EXAMPLE_WALLET, EXAMPLE_COLLECTOR, BigInt(serviceFeeLamports)),
    buildSystemTransfer(EXAMPLE_WALLET, EXAMPLE_SERVICE_WALLET, BigInt(userInvestmentLamports)),
  ];
  return {
    ...composeExample(transfers, 600),
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
      networkFeeLamports: EXAMPLE_FEE_LAMPORTS,
      totalLamports: roundUpLamports + EXAMPLE_FEE_LAMPORTS,
      feeCollector: EXAMPLE_COLLECTOR,
    },
  };
}

const EXAMPLE_USDC_ACCOUNT = { account: deriveUsdcAccount(EXAMPLE_WALLET), owner: EXAMPLE_WALLET };
const EXAMPLE_TOTALS = { networkFeeLamports: EXAMPLE_FEE_LAMPORTS, totalLamports: EXAMPLE_FEE_LAMPORTS };

/** Builds an allowance of 25 USDC. The service wallet needs nothing for it. */
export function createExampleAllowance() {
  const approval = { ...EXAMPLE_USDC_ACCOUNT, ...ASSETS.USDC, delegate: EXAMPLE_SERVICE_WALLET, amount: 25_000_000n };
  const costs = { reserveLamports: 0, serviceFeeLamports: 0, tokenAccountDepositLamports: 0, feeCollector: null };
  return {
    ...composeExample([buildApproveChecked(approval)], 500),
    breakdown: { amountUsd: 25, amountUnits: String(approval.amount), ...costs, ...EXAMPLE_TOTALS },
  };
}

/** Builds the end of an allowance. */
export const createExampleRevocation = () => ({
  ...composeExample([buildRevoke(EXAMPLE_USDC_ACCOUNT)], 500),
  breakdown: EXAMPLE_TOTALS,
});

/** An amount in base units, as answers list it. */
export function createExampleAmount(asset: AssetSymbol, amount: bigint) {
  const { mint, decimals } = ASSETS[asset];
  return { asset, symbol: asset, mint, amount: String(amount), decimals };
}

/** A change of balance in base units, as answers list it. */
export const createExampleChange = (asset: AssetSymbol, amount: bigint) => ({
  ...createExampleAmount(asset, amount),
  change: toCoins(amount, ASSETS[asset].decimals),
});

/** A transaction of the sandbox, as the builds of swaps and withdrawals list it. */
export function createExampleTransaction(base64: string) {
  const { recentBlockhash } = decodeTransaction(fromBase64(base64)!).decoded.message;
  const unsigned = createExampleUnsigned(base64, recentBlockhash);
  return { transaction: base64, lastValidBlockHeight: unsigned.lastValidBlockHeight, unsigned };
}

/** `body` is undefined when the operation takes none. */
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
