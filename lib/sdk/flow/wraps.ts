import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { ceilToCents, formatExactUsd, lamportsToUsd } from "../../domain/money";
import { computeHighestRent } from "../../solana/rent";
import type { AssetPrices } from "../prices/price-store";
import type { PayTerms } from "../requests";
import type { WrapFigures } from "../verify/transfers";
import { loadModule } from "./load-module";
import type { BuildResult, Step } from "./types";

/* Shared by savings and top-ups. Both are one transaction. */

export type Wrap = DataOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type WrapBuild = Wrap & BuildResult;

/** The part of the record that describes one saving or top-up. */
export interface WrapRecord {
  breakdown: WrapBreakdown;
}

/** Returns whether a saving moves USDC. */
export const isInUsdc = ({ roundUpUnits }: Pick<WrapBreakdown, "roundUpUnits">): boolean => roundUpUnits > 0;

/** Turns the service's answer into a build. @param skippedReason the reason of a build without a transaction */
export function toWrapBuild(wrap: Wrap, payTerms: PayTerms, skippedReason: string): WrapBuild {
  const isReady = wrap.transaction !== null;
  return {
    ...wrap,
    ready: isReady,
    reason: isReady ? null : skippedReason,
    blocked: wrap.affordable ? null : explainShortage(wrap, payTerms),
  };
}

/** Says what the payer has too little of. A saving in USDC needs some SOL too: for the network fee, and to stay open. */
function explainShortage({ shortOf, breakdown }: Wrap, { by }: PayTerms): string {
  if (!isInUsdc(breakdown))
    return "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";
  if (shortOf === "USDC") return `The wallet holds less than ${formatExactUsd(breakdown.roundUpUsd)} of USDC.`;
  const { totalLamports, tokenAccountDepositLamports, solPriceUsd } = breakdown;
  const neededUsd = lamportsToUsd(totalLamports + Number(computeHighestRent(0n)), solPriceUsd ?? 0);
  const amountText = neededUsd > 0 ? formatExactUsd(ceilToCents(neededUsd)) : "a few cents";
  const depositText = tokenAccountDepositLamports > 0 ? " and the refundable deposit" : "";
  const payerText = by === "allowance" ? "savings wallet" : "wallet";
  return `The ${payerText} holds too little SOL for the network fee${depositText}. It needs ${amountText} of SOL, most of which stays yours.`;
}

/** Replaces the service's figures with those that the bytes contain. */
export function replaceFigures(build: WrapBuild, { roundUpUsd, ...lamports }: WrapFigures): WrapBuild {
  const figures = Object.fromEntries(Object.entries(lamports).map(([name, value]) => [name, Number(value)]));
  return { ...build, breakdown: { ...build.breakdown, ...figures, roundUpUsd } };
}

/** Returns the price with which the service converted US dollars to lamports. A saving in USDC depends on no price. */
export const getWrapPrices = ({ breakdown }: WrapBuild): AssetPrices =>
  breakdown.solPriceUsd === null || isInUsdc(breakdown) ? {} : { SOL: breakdown.solPriceUsd };

/** Returns the only step of a build. @param paymentName begins the label, e.g. "Top-up" */
export function toWrapStep(
  paymentName: string,
  { transaction, breakdown }: WrapBuild,
  signer: string,
): Step<WrapRecord> {
  const usd = breakdown.roundUpUsd;
  // Like the pages: fractions of a cent only for amounts under one cent.
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: usd < 0.01 ? 6 : 2 };
  const label = `${paymentName} of $${usd.toLocaleString("en-US", digits)}`;
  return { label, signer, transaction: transaction!.base64, validForMs: transaction!.validForMs, about: { breakdown } };
}

/** Verifies signed bytes and adds what the wallet has added to the network fee. @throws {NotAsShown} */
export async function verifySignedWrap<
  About extends { breakdown: { networkFeeLamports: number; totalLamports: number } },
>({ transaction, about }: Step<About>, signed: string): Promise<About> {
  const { verifySigned } = await loadModule(() => import("../verify/signed"));
  const { networkFeeLamports, totalLamports, ...otherFigures } = about.breakdown;
  const addedLamports = Number(verifySigned(transaction, signed));
  const breakdown = {
    ...otherFigures,
    networkFeeLamports: networkFeeLamports + addedLamports,
    totalLamports: totalLamports + addedLamports,
  };
  return { ...about, breakdown };
}
