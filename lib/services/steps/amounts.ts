import type { z } from "zod";
import type { BalanceChange } from "../../contracts/get-activity";
import type { Activity, ActivityAmounts } from "../../domain/activity";
import { findAssetByMint, toTokenSymbol } from "../../domain/assets";
import { toCoins } from "../../domain/money";
import { NATIVE_MINT } from "../../solana/programs";

type Change = z.output<typeof BalanceChange>;

/** Converts the balance changes of an activity to the API's answer, native SOL first. Wrapped SOL is a token. */
export function toBalanceChanges({ solChange, tokenChanges }: Pick<Activity, "solChange" | "tokenChanges">): Change[] {
  const tokens = tokenChanges.map(({ mint, amount, decimals }) =>
    toChange(findAssetByMint(mint), toTokenSymbol(mint), mint, amount, decimals),
  );
  return solChange === 0n ? tokens : [toChange("SOL", "SOL", NATIVE_MINT, solChange, 9), ...tokens];
}

/** Converts the amounts that a wallet paid to negative changes, SOL first. */
export function toPaidAmounts({ lamports, tokens }: ActivityAmounts): Change[] {
  const tokenChanges = tokens.map((token) => ({ ...token, amount: -token.amount }));
  return toBalanceChanges({ solChange: -lamports, tokenChanges });
}

function toChange(asset: Change["asset"], symbol: string, mint: string, amount: bigint, decimals: number): Change {
  return { asset, symbol, mint, amount: amount.toString(), decimals, change: toCoins(amount, decimals) };
}

/** Lists the SOL and the tokens of some amounts in one form, SOL first. */
export const listAmounts = ({ lamports, tokens }: ActivityAmounts) =>
  lamports > 0n ? [{ mint: NATIVE_MINT, amount: lamports, decimals: 9 }, ...tokens] : tokens;
