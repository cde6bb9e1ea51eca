import type { z } from "zod";
import type { BalanceChange } from "../../contracts/get-activity";
import type { Activity, ActivityAmounts } from "../../domain/activity";
import { findAssetByMint, toTokenSymbol } from "../../domain/assets";
import { toCoins } from "../../domain/money";
import { NATIVE_MINT } from "../../solana/programs";

type Change = z.output<typeof BalanceChange>;

/** Returns what an activity changed, SOL first. */
export function toBalanceChanges({ solChange, tokenChanges }: Activity): Change[] {
  const tokens = tokenChanges.map(({ mint, amount, decimals }) =>
    toChange(findAssetByMint(mint), toTokenSymbol(mint), mint, amount, decimals),
  );
  return solChange === 0n ? tokens : [toSolChange(solChange), ...tokens];
}

/** Native SOL. Wrapped SOL is listed as a token. */
const toSolChange = (lamports: bigint) => toChange("SOL", "SOL", NATIVE_MINT, lamports, 9);

/** Returns the amounts that a wallet paid as negative changes, SOL first. */
export function toPaidAmounts({ lamports, tokens }: ActivityAmounts): Change[] {
  const paid = tokens.map(({ mint, amount, decimals }) =>
    toChange(findAssetByMint(mint), toTokenSymbol(mint), mint, -amount, decimals),
  );
  return lamports === 0n ? paid : [toSolChange(-lamports), ...paid];
}

function toChange(asset: Change["asset"], symbol: string, mint: string, amount: bigint, decimals: number): Change {
  return { asset, symbol, mint, amount: amount.toString(), decimals, change: toCoins(amount, decimals) };
}
