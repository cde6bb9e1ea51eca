import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { formatDecimal, formatExactUsd, pickLarger, toCoins } from "../../../domain/money";
import type { SaleBuild, SaveBuild, SellRequest, SwapBuild, WithdrawBuild, WithdrawRequest } from "../../index";
import type { AssetPrices } from "../../prices/memory";
import { formatSol } from "../output/text";

/** An amount of one currency, in base units. Unknown tokens are named by mint, because strangers choose token names. */
export interface Amount {
  asset: AssetSymbol | null;
  mint: string;
  amount: bigint;
  decimals: number;
}

/** The effect of a build, as verified in its transaction bytes. */
export interface Figures {
  summary: string;
  /** Requested US dollars of a saving or a top-up; null for other actions. */
  usd: number | null;
  /** Prices that the build depends on, US dollars; empty for a withdrawal. */
  prices: AssetPrices;
  /** Outgoing amounts, one entry per mint; fees and deposits count as SOL. */
  leaves: Amount[];
  /** Guaranteed minimum of the incoming amounts. */
  arrives: Amount[];
  serviceFeeLamports: number;
  networkFeeLamports: number;
  /** Refundable rent for new accounts. The service reports it, because the bytes do not show which accounts exist. */
  depositLamports: number;
}

/** Allowed difference between a preview and its confirmation, because prices and network fees move. */
const DRIFT_PERCENT = 1n;
/** About one cent. The network fee of a small payment may double between preview and confirmation. */
const DRIFT_LAMPORTS = 100_000n;

const createAmount = (asset: AssetSymbol, amount: bigint | number | string): Amount => {
  const { mint, decimals } = ASSETS[asset];
  return { asset, mint, decimals, amount: BigInt(amount) };
};

const formatAmounts = (amounts: Amount[]) =>
  amounts.map(({ asset, mint, amount, decimals }) => `${formatDecimal(amount, decimals)} ${asset ?? mint}`).join(", ");

/** Returns the figures of a saving or a top-up. @param what the start of the summary */
export function toWrapFigures(what: string, { breakdown }: SaveBuild): Figures {
  const { roundUpUsd, solPriceUsd, totalLamports, activationLamports, userInvestmentLamports } = breakdown;
  const { serviceFeeLamports, networkFeeLamports } = breakdown;
  const opening = activationLamports > 0 ? `, ${formatSol(activationLamports)} to open the service wallet` : "";
  return {
    summary: `${what} of ${formatExactUsd(roundUpUsd)}: ${formatSol(totalLamports)} leaves the wallet, with ${formatSol(serviceFeeLamports)} service fee and ${formatSol(networkFeeLamports)} network fee${opening}.`,
    usd: roundUpUsd,
    prices: solPriceUsd === null ? {} : { SOL: solPriceUsd },
    leaves: [createAmount("SOL", totalLamports)],
    arrives: [createAmount("SOL", userInvestmentLamports + activationLamports)],
    serviceFeeLamports,
    networkFeeLamports,
    depositLamports: 0,
  };
}

type Costs = Pick<SwapBuild["costs"], "networkFeeLamports" | "tokenAccountDepositLamports">;

/**
 * Returns the figures of an action of the service wallet. Its costs leave as SOL, and it pays no service fee.
 * @param what the start of the summary @param deposit what the summary calls the deposit
 */
function toServiceFigures(
  what: string,
  deposit: string,
  { networkFeeLamports, tokenAccountDepositLamports: depositLamports }: Costs,
  { sent, ...build }: Pick<Figures, "prices" | "arrives"> & { sent: Amount[] },
): Figures {
  const isSol = ({ mint }: Amount) => mint === ASSETS.SOL.mint;
  const lamports = (sent.find(isSol)?.amount ?? 0n) + BigInt(networkFeeLamports + depositLamports);
  return {
    ...build,
    summary: `${what}, with ${formatSol(networkFeeLamports)} network fee and, as the service says, ${formatSol(depositLamports)} ${deposit}.`,
    usd: null,
    leaves: [...sent.filter((amount) => !isSol(amount)), createAmount("SOL", lamports)],
    serviceFeeLamports: 0,
    networkFeeLamports,
    depositLamports,
  };
}

export function toInvestFigures({ transactions, costs, prices }: SwapBuild): Figures {
  const input = transactions.reduce((sum, { inputLamports }) => sum + inputLamports, 0);
  const arrives = transactions.map(({ asset, quote }) => createAmount(asset, quote.minimumOutputAmount));
  const what = `Invest ${formatSol(input)} into at least ${formatAmounts(arrives)}`;
  return toServiceFigures(what, "refundable deposit", costs, { prices, sent: [createAmount("SOL", input)], arrives });
}

export function toSaleFigures({ transactions, costs, prices }: SaleBuild, { asset, into }: SellRequest): Figures {
  const sent = transactions.map(({ inputAmount }) => createAmount(asset, inputAmount));
  const arrives = transactions.map(({ quote }) => createAmount(into, quote.minimumOutputAmount));
  const what = `Sell ${formatAmounts(sent)} for at least ${formatAmounts(arrives)}`;
  return toServiceFigures(what, "refundable deposit", costs, { prices, sent, arrives });
}

export function toWithdrawFigures(build: WithdrawBuild, { destination }: WithdrawRequest): Figures {
  const byMint = new Map<string, Amount>();
  for (const { asset, mint, amount, decimals } of build.transactions.flatMap(({ assets }) => assets)) {
    byMint.set(mint, { asset, mint, decimals, amount: BigInt(amount) + (byMint.get(mint)?.amount ?? 0n) });
  }
  const sent = [...byMint.values()];
  const what = `Withdraw ${formatAmounts(sent) || "nothing but empty token accounts"} to ${destination}`;
  const { summary, ...figures } = toServiceFigures(what, "deposit", build.costs, { prices: {}, sent, arrives: sent });
  const rest = build.complete ? "" : " More is left for another withdrawal.";
  const kept = build.keepsRentMinimum
    ? ` As the service says, ${formatSol(build.remainingLamports)} and other tokens stay, because an earlier withdrawal was refused.`
    : build.missingToKeep
      ? ` If it is refused again, add ${formatSol(build.missingToKeep)} to the service wallet: then nothing sent to it can stop this.`
      : "";
  return { summary: `${summary}${rest}${kept}`, ...figures };
}

/** Returns true if the new build takes no more and brings no less than the preview, within the allowed drift. */
export function isAsShown(shown: Figures, now: Figures): boolean {
  const computeMost = ({ mint, amount }: Amount) =>
    mint === ASSETS.SOL.mint ? amount + pickLarger((amount * DRIFT_PERCENT) / 100n, DRIFT_LAMPORTS) : amount;
  const computeLeast = ({ amount }: Amount) => (amount * (100n - DRIFT_PERCENT)) / 100n;
  const findSameMint = (wanted: Amount, others: Amount[]) => others.find(({ mint }) => mint === wanted.mint);
  return (
    shown.usd === now.usd &&
    now.leaves.every((sent) => {
      const before = findSameMint(sent, shown.leaves);
      return before !== undefined && sent.amount <= computeMost(before);
    }) &&
    shown.arrives.every((received) => (findSameMint(received, now.arrives)?.amount ?? -1n) >= computeLeast(received))
  );
}

/** Converts an amount to JSON: base units as a string, and coins for readability. */
export const toJsonAmount = ({ amount, ...rest }: Amount) => ({
  ...rest,
  amount: `${amount}`,
  coins: toCoins(amount, rest.decimals),
});
