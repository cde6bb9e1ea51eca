import { type AssetSymbol, assetOfMint } from "../../../domain/assets";
import { valueMicroUsd } from "../../../domain/money";
import { dayOf } from "../../../domain/prices/price-history";
import type { Prices } from "../../../domain/prices/prices";
import type { Payment } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { NATIVE_MINT } from "../../../solana/programs";
import { pricesIfAny } from "../prices/read-prices";
import { tolerate } from "../tolerate";

/** `estimated`: not all of it at a price of its moment. */
export interface Value {
  microUsd: bigint;
  estimated: boolean;
}

export interface PaymentAtTime {
  payment: Payment;
  /** Seconds since the epoch, null when the node does not know. */
  blockTime: number | null;
  /** When this service relayed it; null when it did not. */
  relayedAt: Prices["usd"] | null;
}

const STABLES: readonly AssetSymbol[] = ["USDC", "USDT"];

/**
 * What payments were worth, in order: at the prices when they were relayed here; stables at their own; else at the daily price
 * nearest to it, else at today's. A token without a price counts nothing; "unpriced": there is none with one; null: the
 * prices are not to be had now.
 */
export async function valuesOf(deps: Deps, paid: PaymentAtTime[]): Promise<(Value | "unpriced" | null)[]> {
  const others = paid.flatMap(({ payment }) => payment.tokens.map(({ mint }) => mint));
  const mints = [...new Set(others.filter((mint) => assetOfMint(mint) === null))];
  const [now, ofMints] = await Promise.all([
    paid.length > 0 ? pricesIfAny(deps) : null,
    mints.length > 0 ? tolerate(deps.prices.ofMints(mints)) : null,
  ]);
  const daily = dailyPrices(deps);

  /** Null: it is not to be had now. */
  const priceOf = async (mint: string, { relayedAt, blockTime }: PaymentAtTime) => {
    const asset = assetOfMint(mint);
    if (asset === null) {
      const usd = ofMints?.[mint];
      return { usd: usd === undefined ? null : (usd ?? ("unpriced" as const)), estimated: true };
    }
    if (relayedAt?.[asset] !== undefined) return { usd: relayedAt[asset], estimated: false };
    const today = now?.usd[asset] ?? null;
    if (STABLES.includes(asset)) return { usd: today, estimated: false };
    return { usd: (blockTime === null ? null : await daily(asset, blockTime * 1000)) ?? today, estimated: true };
  };

  const worth = async (one: PaymentAtTime): Promise<Value | "unpriced" | null> => {
    const { lamports, tokens } = one.payment;
    const sol = lamports > 0n ? [{ mint: NATIVE_MINT, amount: lamports, decimals: 9 }] : [];
    const value: Value = { microUsd: 0n, estimated: false };
    let priced = 0;
    for (const { mint, amount, decimals } of [...sol, ...tokens]) {
      const { usd, estimated } = await priceOf(mint, one);
      if (usd === null) return null;
      if (usd === "unpriced") continue;
      priced++;
      value.microUsd += valueMicroUsd(amount, decimals, usd);
      value.estimated ||= estimated;
    }
    return priced > 0 ? value : "unpriced";
  };
  return Promise.all(paid.map(worth));
}

/** A day's price is asked for once. */
function dailyPrices({ priceHistory }: Deps) {
  const known = new Map<string, Promise<number | null>>();
  return (asset: AssetSymbol, time: number): Promise<number | null> => {
    const key = `${asset} ${dayOf(time)}`;
    const price = known.get(key) ?? tolerate(priceHistory.at(asset, time));
    known.set(key, price);
    return price;
  };
}
