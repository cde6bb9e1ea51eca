import type { buildWrapContract } from "../../contracts/build-wrap";
import type { AnswerOf } from "../calls/calls";
import type { AssetPrices } from "../prices/memory";
import type { WrapFigures } from "../verify/wrap";
import { loadModule } from "./load-module";
import type { BuildResult, Step } from "./types";

/* Shared by savings and top-ups. Both are one transaction that the person's own wallet signs. */

export type Wrap = AnswerOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type WrapBuild = Wrap & BuildResult;

/** The part of the record that describes one saving or top-up. */
export interface WrapRecord {
  breakdown: WrapBreakdown;
}

const SHORT_OF_SOL = "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";

/** Turns the service's answer into a build. @param nothing the reason when there is nothing to sign */
export function toBuild(wrap: Wrap, nothing: string): WrapBuild {
  const ready = wrap.transaction !== null;
  return { ...wrap, ready, reason: ready ? null : nothing, blocked: wrap.affordable ? null : SHORT_OF_SOL };
}

/** Replaces the service's figures with those that the bytes contain. */
export function replaceFigures(build: WrapBuild, { roundUpUsd, ...lamports }: WrapFigures): WrapBuild {
  const figures = Object.fromEntries(Object.entries(lamports).map(([name, value]) => [name, Number(value)]));
  return { ...build, breakdown: { ...build.breakdown, ...figures, roundUpUsd } };
}

/** Returns the price with which the service converted US dollars to lamports. */
export const getWrapPrices = ({ breakdown }: WrapBuild): AssetPrices =>
  breakdown.solPriceUsd === null ? {} : { SOL: breakdown.solPriceUsd };

/** @param what names the transaction in its label */
export function toWrapStep(what: string, { transaction, breakdown }: WrapBuild): Step<WrapRecord> {
  const usd = breakdown.roundUpUsd;
  // Like the pages: fractions of a cent only for amounts under one cent.
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: usd < 0.01 ? 6 : 2 };
  const label = `${what} of $${usd.toLocaleString("en-US", digits)}`;
  return { label, transaction: transaction!.base64, about: { breakdown } };
}

/** Reads the network fee from the signed bytes: wallets may add a priority fee. @throws {NotAsShown} */
export async function verifySignedWrap<D extends WrapRecord>(
  { transaction, about }: Step<D>,
  signed: string,
): Promise<D> {
  const { verifySigned } = await loadModule(() => import("../verify/signed"));
  const { networkFeeLamports: shown, totalLamports, ...rest } = about.breakdown;
  const networkFeeLamports = Number(verifySigned(transaction, signed));
  const breakdown = { ...rest, networkFeeLamports, totalLamports: totalLamports - shown + networkFeeLamports };
  return { ...about, breakdown };
}
