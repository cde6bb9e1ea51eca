import { ASSETS, type AssetSymbol, findKnownTokenByMint } from "../../domain/assets";
import { formatDecimal, formatExactUsd, pickLarger, toCoins } from "../../domain/money";
import { getWrapPrices, isInUsdc } from "../../sdk/flow/wraps";
import type { SaleBuild, SaveBuild, SellRequest, SwapBuild, WithdrawBuild, WithdrawRequest } from "../../sdk/index";
import type { AssetPrices } from "../../sdk/prices/guard";
import type { PayTerms } from "../../sdk/requests";
import { formatSol, formatUsdc } from "../output/text";

/** An amount of one currency, in base units. Unknown tokens are named by mint, because strangers choose token names. */
export interface Amount {
  asset: AssetSymbol | null;
  mint: string;
  amount: bigint;
  decimals: number;
}

export interface Figures {
  summary: string;
  /** Requested US dollars of a saving or a top-up; null for other actions. */
  requestedUsd: number | null;
  /** Prices that the build depends on, US dollars; empty for a withdrawal. */
  prices: AssetPrices;
  /** Outgoing amounts, one entry per mint; fees and deposits count as SOL. */
  leaves: Amount[];
  /** Guaranteed minimum of the incoming amounts. */
  arrives: Amount[];
  serviceFeeLamports: number;
  /** Base units of USDC. */
  serviceFeeUnits: number;
  networkFeeLamports: number;
  /** The most refundable rent for new accounts. The bytes do not show which accounts exist already. */
  depositLamports: number;
}

/** Largest accepted difference between a preview and its confirmation. Prices and network fees move in between. */
const MAX_DRIFT_PERCENT = 1n;
/** About one cent. It exceeds MAX_DRIFT_PERCENT of a small payment, whose network fee may double. */
const MAX_DRIFT_LAMPORTS = 100_000n;
/** Tells the model which differences of amounts `isAsShown` refuses. */
export const DRIFT_TEXT = `It is refused if more than ${MAX_DRIFT_PERCENT} % more SOL leaves (or ${formatSol(MAX_DRIFT_LAMPORTS)}, if that is more), if more of another coin leaves, or if more than ${MAX_DRIFT_PERCENT} % less arrives.`;

const createAmount = (asset: AssetSymbol, amount: bigint | number | string): Amount => {
  const { mint, decimals } = ASSETS[asset];
  return { asset, mint, decimals, amount: BigInt(amount) };
};

const formatAmounts = (amounts: Amount[]) =>
  amounts
    .map(
      ({ asset, mint, amount, decimals }) =>
        `${formatDecimal(amount, decimals)} ${asset ?? findKnownTokenByMint(mint) ?? mint}`,
    )
    .join(", ");

/** Returns the figures of a saving or a top-up. @param describe returns the start of the summary, with the saved dollars */
export function toWrapFigures(describe: (savedUsd: string) => string, build: SaveBuild, payTerms: PayTerms): Figures {
  const { breakdown } = build;
  const { roundUpUsd, totalLamports, serviceFeeLamports, serviceFeeUnits, networkFeeLamports } = breakdown;
  const sol = createAmount("SOL", totalLamports);
  const inUsdc = isInUsdc(breakdown);
  return {
    summary: `${describe(formatExactUsd(roundUpUsd))}: ${inUsdc ? describeUsdcCosts(breakdown, payTerms) : describeSolCosts(breakdown)}`,
    requestedUsd: roundUpUsd,
    prices: getWrapPrices(build),
    leaves: inUsdc ? [createAmount("USDC", breakdown.roundUpUnits), sol] : [sol],
    arrives: inUsdc
      ? [createAmount("USDC", breakdown.userInvestmentUnits)]
      : [createAmount("SOL", breakdown.userInvestmentLamports + breakdown.activationLamports)],
    serviceFeeLamports,
    serviceFeeUnits,
    networkFeeLamports,
    depositLamports: breakdown.tokenAccountDepositLamports,
  };
}

function describeSolCosts(breakdown: SaveBuild["breakdown"]): string {
  const { totalLamports, activationLamports, serviceFeeLamports, networkFeeLamports } = breakdown;
  const openingNote = activationLamports > 0 ? `, ${formatSol(activationLamports)} to open the savings wallet` : "";
  return `${formatSol(totalLamports)} leaves the wallet, with ${formatSol(serviceFeeLamports)} service fee and ${formatSol(networkFeeLamports)} network fee${openingNote}.`;
}

function describeUsdcCosts(breakdown: SaveBuild["breakdown"], { by }: PayTerms): string {
  const { roundUpUnits, serviceFeeUnits, networkFeeLamports, tokenAccountDepositLamports } = breakdown;
  const payerText = by === "allowance" ? "The savings wallet signs by the allowance and pays" : "The wallet also pays";
  const depositText =
    tokenAccountDepositLamports > 0 ? ` and at most ${formatSol(tokenAccountDepositLamports)} refundable deposit` : "";
  return `${formatUsdc(roundUpUnits)} leaves the wallet, with ${formatUsdc(serviceFeeUnits)} service fee. ${payerText} ${formatSol(networkFeeLamports)} network fee${depositText}.`;
}

/** Returns the figures of an action of the service wallet. Its costs leave as SOL, and it pays no service fee. */
function toServiceWalletFigures(
  actionText: string,
  depositText: string,
  costs: Pick<SwapBuild["costs"], "networkFeeLamports" | "tokenAccountDepositLamports">,
  { sent, ...build }: Pick<Figures, "prices" | "arrives"> & { sent: Amount[] },
): Figures {
  const { networkFeeLamports, tokenAccountDepositLamports: depositLamports } = costs;
  const isSol = ({ mint }: Amount) => mint === ASSETS.SOL.mint;
  const lamports = (sent.find(isSol)?.amount ?? 0n) + BigInt(networkFeeLamports + depositLamports);
  return {
    ...build,
    summary: `${actionText}, with ${formatSol(networkFeeLamports)} network fee and at most ${formatSol(depositLamports)} ${depositText}.`,
    requestedUsd: null,
    leaves: [...sent.filter((amount) => !isSol(amount)), createAmount("SOL", lamports)],
    serviceFeeLamports: 0,
    serviceFeeUnits: 0,
    networkFeeLamports,
    depositLamports,
  };
}

export function toInvestFigures({ payWith, transactions, costs, prices }: SwapBuild): Figures {
  const inputAmount = transactions.reduce((sum, swap) => sum + BigInt(swap.inputAmount), 0n);
  const sent = [createAmount(payWith, inputAmount)];
  const arrives = transactions.map(({ asset, quote }) => createAmount(asset, quote.minimumOutputAmount));
  const actionText = `Invest ${formatAmounts(sent)} into at least ${formatAmounts(arrives)}`;
  return toServiceWalletFigures(actionText, "refundable deposit", costs, { prices, sent, arrives });
}

export function toSaleFigures({ transactions, costs, prices }: SaleBuild, { asset, into }: SellRequest): Figures {
  const sent = transactions.map(({ inputAmount }) => createAmount(asset, inputAmount));
  const arrives = transactions.map(({ quote }) => createAmount(into, quote.minimumOutputAmount));
  const actionText = `Sell ${formatAmounts(sent)} for at least ${formatAmounts(arrives)}`;
  return toServiceWalletFigures(actionText, "refundable deposit", costs, { prices, sent, arrives });
}

export function toWithdrawFigures(build: WithdrawBuild, { destination }: WithdrawRequest): Figures {
  const amountByMint = new Map<string, Amount>();
  for (const { asset, mint, amount, decimals } of build.transactions.flatMap(({ assets }) => assets))
    amountByMint.set(mint, { asset, mint, decimals, amount: BigInt(amount) + (amountByMint.get(mint)?.amount ?? 0n) });
  const sent = [...amountByMint.values()];
  const actionText = `Withdraw ${formatAmounts(sent) || "nothing but empty token accounts"} to ${destination}`;
  const movement = { prices: {}, sent, arrives: sent };
  const { summary, ...figures } = toServiceWalletFigures(actionText, "deposit", build.costs, movement);
  const moreNote = build.complete ? "" : " More is left for another withdrawal.";
  const remainderNote = build.keepsRentMinimum
    ? ` As the service says, ${formatSol(build.remainingLamports)} and other tokens stay, because an earlier withdrawal was refused.`
    : build.missingToKeep
      ? ` If it is refused again, add ${formatSol(build.missingToKeep)} to the savings wallet: then nothing sent to it can stop this.`
      : "";
  return { summary: `${summary}${moreNote}${remainderNote}`, ...figures };
}

/** Returns true if a new build takes no more and brings no less than the preview, within the accepted difference. */
export function isAsShown(shownFigures: Figures, currentFigures: Figures): boolean {
  const computeMaximum = ({ mint, amount }: Amount) =>
    mint === ASSETS.SOL.mint ? amount + pickLarger((amount * MAX_DRIFT_PERCENT) / 100n, MAX_DRIFT_LAMPORTS) : amount;
  const computeMinimum = ({ amount }: Amount) => (amount * (100n - MAX_DRIFT_PERCENT)) / 100n;
  const findSameMint = (amount: Amount, others: Amount[]) => others.find(({ mint }) => mint === amount.mint);
  return (
    shownFigures.requestedUsd === currentFigures.requestedUsd &&
    currentFigures.leaves.every((sent) => {
      const shownAmount = findSameMint(sent, shownFigures.leaves);
      return shownAmount !== undefined && sent.amount <= computeMaximum(shownAmount);
    }) &&
    shownFigures.arrives.every(
      (received) => (findSameMint(received, currentFigures.arrives)?.amount ?? -1n) >= computeMinimum(received),
    )
  );
}

export const toJsonAmount = ({ amount, ...token }: Amount) => ({
  ...token,
  amount: `${amount}`,
  coins: toCoins(amount, token.decimals),
});
