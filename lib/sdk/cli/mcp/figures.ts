import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { toCoins } from "../../../domain/money";
import type { SaleBuild, SaveBuild, SellRequest, SwapBuild, WithdrawBuild, WithdrawRequest } from "../../index";
import type { AssetPrices } from "../../prices/memory";
import { decimal, sol, usd } from "../output/format";

/** So much of one currency, in base units. An unknown token's own name is a stranger's text: it goes by its mint. */
export interface Amount {
  asset: AssetSymbol | null;
  mint: string;
  amount: bigint;
  decimals: number;
}

/** What a build does, in figures that its bytes were found to say. */
export interface Figures {
  summary: string;
  /** USD of a saving or a top-up, which is what was asked for; null of the others. */
  usd: number | null;
  /** The prices that the build rests on, US dollars; of a withdrawal none. */
  prices: AssetPrices;
  /** All that leaves, one entry for each mint; fees and deposits count as SOL. */
  leaves: Amount[];
  /** What is sure to arrive. */
  arrives: Amount[];
  serviceFeeLamports: number;
  networkFeeLamports: number;
  /** Refundable rent of accounts that are opened: the service's word, since the bytes do not say which accounts exist. */
  depositLamports: number;
}

/** As prices and the network's fees move from a preview to its confirmation. */
const DRIFT_PERCENT = 1n;
/** About a cent: the network's fee alone may double. */
const DRIFT_LAMPORTS = 100_000n;

const amountOf = (asset: AssetSymbol, amount: bigint | number | string): Amount => {
  const { mint, decimals } = ASSETS[asset];
  return { asset, mint, decimals, amount: BigInt(amount) };
};

const words = ({ asset, mint, amount, decimals }: Amount) => `${decimal(amount, decimals)} ${asset ?? mint}`;
const listOf = (amounts: Amount[]) => amounts.map(words).join(", ");

export function wrapFigures(what: string, { breakdown }: SaveBuild): Figures {
  const { roundUpUsd, solPriceUsd, totalLamports, activationLamports, userInvestmentLamports } = breakdown;
  const { serviceFeeLamports, networkFeeLamports } = breakdown;
  const opening = activationLamports > 0 ? `, ${sol(activationLamports)} to open the service wallet` : "";
  return {
    summary: `${what} of ${usd(roundUpUsd)}: ${sol(totalLamports)} leaves the wallet, with ${sol(serviceFeeLamports)} service fee and ${sol(networkFeeLamports)} network fee${opening}.`,
    usd: roundUpUsd,
    prices: solPriceUsd === null ? {} : { SOL: solPriceUsd },
    leaves: [amountOf("SOL", totalLamports)],
    arrives: [amountOf("SOL", userInvestmentLamports + activationLamports)],
    serviceFeeLamports,
    networkFeeLamports,
    depositLamports: 0,
  };
}

export function investFigures({ transactions, costs, prices }: SwapBuild): Figures {
  const { networkFeeLamports, tokenAccountDepositLamports: depositLamports } = costs;
  const input = transactions.reduce((sum, { inputLamports }) => sum + inputLamports, 0);
  const arrives = transactions.map(({ asset, quote }) => amountOf(asset, quote.minimumOutputAmount));
  return {
    summary: `Invest ${sol(input)} into at least ${listOf(arrives)}, with ${sol(networkFeeLamports)} network fee and, as the service says, ${sol(depositLamports)} refundable deposit.`,
    usd: null,
    prices,
    leaves: [amountOf("SOL", input + networkFeeLamports + depositLamports)],
    arrives,
    serviceFeeLamports: 0,
    networkFeeLamports,
    depositLamports,
  };
}

export function saleFigures({ transactions, costs, prices }: SaleBuild, { asset, into }: SellRequest): Figures {
  const { networkFeeLamports, tokenAccountDepositLamports: depositLamports } = costs;
  const sold = transactions.map(({ inputAmount }) => amountOf(asset, inputAmount));
  const arrives = transactions.map(({ quote }) => amountOf(into, quote.minimumOutputAmount));
  return {
    summary: `Sell ${listOf(sold)} for at least ${listOf(arrives)}, with ${sol(networkFeeLamports)} network fee and, as the service says, ${sol(depositLamports)} refundable deposit.`,
    usd: null,
    prices,
    leaves: [...sold, amountOf("SOL", networkFeeLamports + depositLamports)],
    arrives,
    serviceFeeLamports: 0,
    networkFeeLamports,
    depositLamports,
  };
}

export function withdrawFigures(build: WithdrawBuild, { destination }: WithdrawRequest): Figures {
  const { networkFeeLamports, tokenAccountDepositLamports: depositLamports } = build.costs;
  const sent = new Map<string, Amount>();
  for (const { asset, mint, amount, decimals } of build.transactions.flatMap(({ assets }) => assets)) {
    sent.set(mint, { asset, mint, decimals, amount: BigInt(amount) + (sent.get(mint)?.amount ?? 0n) });
  }
  const arrives = [...sent.values()];
  const { mint } = ASSETS.SOL;
  const lamports = (sent.get(mint)?.amount ?? 0n) + BigInt(networkFeeLamports + depositLamports);
  const rest = build.complete ? "" : " More is left for another withdrawal.";
  const kept = build.keepsRentMinimum
    ? ` As the service says, ${sol(build.remainingLamports)} and other tokens stay, because an earlier withdrawal was refused.`
    : build.missingToKeep
      ? ` If it is refused again, add ${sol(build.missingToKeep)} to the service wallet: then nothing sent to it can stop this.`
      : "";
  return {
    summary: `Withdraw ${listOf(arrives) || "nothing but empty token accounts"} to ${destination}, with ${sol(networkFeeLamports)} network fee and, as the service says, ${sol(depositLamports)} deposit.${rest}${kept}`,
    usd: null,
    prices: {},
    leaves: [...arrives.filter((one) => one.mint !== mint), amountOf("SOL", lamports)],
    arrives,
    serviceFeeLamports: 0,
    networkFeeLamports,
    depositLamports,
  };
}

/** Whether what is built now takes no more and brings no less than what was shown, up to what prices and fees moved meanwhile. */
export function isAsShown(shown: Figures, now: Figures): boolean {
  const most = ({ mint, amount }: Amount) =>
    mint === ASSETS.SOL.mint ? amount + max((amount * DRIFT_PERCENT) / 100n, DRIFT_LAMPORTS) : amount;
  const least = ({ amount }: Amount) => (amount * (100n - DRIFT_PERCENT)) / 100n;
  const inBoth = (one: Amount, others: Amount[]) => others.find(({ mint }) => mint === one.mint);
  return (
    shown.usd === now.usd &&
    now.leaves.every((one) => {
      const before = inBoth(one, shown.leaves);
      return before !== undefined && one.amount <= most(before);
    }) &&
    shown.arrives.every((one) => (inBoth(one, now.arrives)?.amount ?? -1n) >= least(one))
  );
}

const max = (one: bigint, other: bigint) => (one > other ? one : other);

/** As JSON: amounts as strings, and as coins for reading. */
export const toJson = ({ amount, ...rest }: Amount) => ({
  ...rest,
  amount: `${amount}`,
  coins: toCoins(amount, rest.decimals),
});
