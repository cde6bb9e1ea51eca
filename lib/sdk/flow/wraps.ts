import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import type { AssetPrices } from "../prices/price-store";
import type { WrapFigures } from "../verify/transfers";
import { loadModule } from "./load-module";
import type { BuildResult, Step } from "./types";

/* Shared by savings and top-ups. Both are one transaction that the person's own wallet signs. */

export type Wrap = DataOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type WrapBuild = Wrap & BuildResult;

/** The part of the record that describes one saving or top-up. */
export interface WrapRecord {
  breakdown: WrapBreakdown;
}

const SHORT_OF_SOL_REASON =
  "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";
const SHORT_OF_USDC_REASON =
  "Too little USDC for this, or too little SOL for its network fee and deposit, or less would stay than Solana lets an account keep.";

/** Returns whether a saving moves USDC. */
const isInUsdc = ({ roundUpUnits }: Pick<WrapBreakdown, "roundUpUnits">): boolean => roundUpUnits > 0;

/** Turns the service's answer into a build. @param skippedReason the reason of a build without a transaction */
export function toWrapBuild(wrap: Wrap, skippedReason: string): WrapBuild {
  const isReady = wrap.transaction !== null;
  return {
    ...wrap,
    ready: isReady,
    reason: isReady ? null : skippedReason,
    blocked: wrap.affordable ? null : isInUsdc(wrap.breakdown) ? SHORT_OF_USDC_REASON : SHORT_OF_SOL_REASON,
  };
}

/** Replaces the service's figures with those that the bytes contain. */
export function replaceFigures(build: WrapBuild, { roundUpUsd, ...lamports }: WrapFigures): WrapBuild {
  const figures = Object.fromEntries(Object.entries(lamports).map(([name, value]) => [name, Number(value)]));
  return { ...build, breakdown: { ...build.breakdown, ...figures, roundUpUsd } };
}

/** Returns the price with which the service converted US dollars to lamports. Returns no price if there was none. */
export const getWrapPrices = ({ breakdown }: WrapBuild): AssetPrices =>
  breakdown.solPriceUsd === null ? {} : { SOL: breakdown.solPriceUsd };

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
export async function verifySignedWrap<About extends WrapRecord>(
  { transaction, about }: Step<About>,
  signed: string,
): Promise<About> {
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
