import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { ceilToCents, formatExactUsd, lamportsToUsd } from "../../domain/money";
import { computeHighestRent } from "../../solana/rent";
import type { AssetPrices } from "../prices/guard";
import type { PayTerms } from "../requests";
import type { BuildResult, Step } from "./types";
import { loadModule } from "./verification";

/* Shared by savings and top-ups. Both are one transaction. */

export type Wrap = DataOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type WrapBuild = Wrap & BuildResult;

export interface WrapRecord {
  breakdown: WrapBreakdown;
}

export const isInUsdc = ({ roundUpUnits }: Pick<WrapBreakdown, "roundUpUnits">): boolean => roundUpUnits > 0;

/** @param skippedReason the reason of a build without a transaction */
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
export function replaceFigures<Build extends { breakdown: object }>(build: Build, figures: object): Build {
  const numbers = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value)]));
  return { ...build, breakdown: { ...build.breakdown, ...numbers } };
}

/** Returns the price with which the service converted US dollars to lamports. A saving in USDC depends on no price. */
export const getWrapPrices = ({ breakdown }: WrapBuild): AssetPrices =>
  breakdown.solPriceUsd === null || isInUsdc(breakdown) ? {} : { SOL: breakdown.solPriceUsd };

/** Formats US dollars as the pages do: fractions of a cent only for amounts under one cent. */
export const formatLabelUsd = (usd: number) =>
  `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: usd < 0.01 ? 6 : 2 })}`;

/** @param paymentName begins the label, e.g. "Top-up" */
export const toWrapStep = (paymentName: string, build: WrapBuild, signer: string): Step<WrapRecord> =>
  toOnlyStep(`${paymentName} of ${formatLabelUsd(build.breakdown.roundUpUsd)}`, build, signer);

/** Returns the only step of a build. @param signer absent: the wallet of the spec */
export function toOnlyStep<Breakdown>(
  label: string,
  { transaction, breakdown }: { transaction: Wrap["transaction"]; breakdown: Breakdown },
  signer?: string,
): Step<{ breakdown: Breakdown }> {
  const { base64, validForMs } = transaction!;
  return { label, signer, transaction: base64, validForMs, about: { breakdown } };
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
