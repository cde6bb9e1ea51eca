import type { z } from "zod";
import type { BalanceChange } from "../../contracts/get-activity";
import type { Activity, ActivityAmounts } from "../../domain/activity";
import { ASSETS, findAssetByMint, toTokenSymbol } from "../../domain/assets";
import { isAsBuilt, type SavedInto } from "../../domain/built-saving";
import { toCoins } from "../../domain/money";
import { NATIVE_MINT } from "../../solana/programs";
import type { TokenAmount } from "../../solana/token-instructions";

type Change = z.output<typeof BalanceChange>;

export const describeTokenAmount = ({ mint, amount, decimals }: TokenAmount) => ({
  asset: findAssetByMint(mint),
  symbol: toTokenSymbol(mint),
  mint,
  amount: amount.toString(),
  decimals,
});

export const describeSolAmount = (lamports: bigint): ReturnType<typeof describeTokenAmount> => ({
  asset: "SOL",
  symbol: "SOL",
  mint: NATIVE_MINT,
  amount: lamports.toString(),
  decimals: ASSETS.SOL.decimals,
});

/** Converts the balance changes of an activity to the API's answer, native SOL first. */
export function toBalanceChanges({
  solChangeLamports,
  tokenChanges,
}: Pick<Activity, "solChangeLamports" | "tokenChanges">): Change[] {
  const tokens = tokenChanges.map((token) => ({
    change: toCoins(token.amount, token.decimals),
    ...describeTokenAmount(token),
  }));
  return solChangeLamports === 0n
    ? tokens
    : [{ change: toCoins(solChangeLamports, ASSETS.SOL.decimals), ...describeSolAmount(solChangeLamports) }, ...tokens];
}

/** Converts the amounts that a wallet paid to negative changes, SOL first. */
export function toPaidAmounts({ lamports, tokens }: ActivityAmounts): Change[] {
  const tokenChanges = tokens.map((token) => ({ ...token, amount: -token.amount }));
  return toBalanceChanges({ solChangeLamports: -lamports, tokenChanges });
}

/** Describes who pulled a payment. Returns null if its wallet signed it. */
export const toPulled = (by: string | null | undefined) => (by == null ? null : { by });

export const listAmounts = ({ lamports, tokens }: ActivityAmounts) =>
  lamports > 0n ? [{ mint: NATIVE_MINT, amount: lamports, decimals: ASSETS.SOL.decimals }, ...tokens] : tokens;

/**
 * Compares a transaction with what the caller has built.
 * @param savings what the transaction saves; absent if it has not landed
 */
export const compareWithBuild = (build: SavedInto | null, savings: readonly SavedInto[] | null | undefined) => ({
  expected: build && toPaidAmounts(toBuiltAmounts(build)),
  asBuilt: build && savings ? isAsBuilt(savings, build) : null,
});

function toBuiltAmounts({ savedLamports, feeLamports, savedUsdc, feeUsdc }: SavedInto): ActivityAmounts {
  const { mint, decimals } = ASSETS.USDC;
  const amount = savedUsdc + feeUsdc;
  return { lamports: savedLamports + feeLamports, tokens: amount > 0n ? [{ mint, amount, decimals }] : [] };
}
