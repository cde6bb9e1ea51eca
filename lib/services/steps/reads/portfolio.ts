import type { DataOf } from "../../../contracts/define";
import type { getPortfolioContract } from "../../../contracts/get-portfolio";
import { type AssetSymbol, DEFAULT_ASSET, findAssetByMint, toTokenSymbol } from "../../../domain/assets";
import type { TokenHolding } from "../../../domain/holdings";
import { computeValueMicroUsd, fromMicroUsd, lamportsToSol, roundToMicro, toCoins } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import type { LeftOut, TokenHoldings } from "../../../ports/solana-rpc";
import { NATIVE_MINT } from "../../../solana/programs";
import { readPricesOrNull } from "../prices/read-prices";
import { readSwapBudget } from "../swap/swappable";

type Portfolio = DataOf<typeof getPortfolioContract>;
type Balance = Portfolio["balances"][number];

/** Limit of mints that a portfolio lists besides SOL. Strangers can send a wallet any number of tokens. */
const MAX_MINTS = 1_000;
/** Limit of unreadable accounts that are named individually. */
const MAX_NAMED = 100;

/** Inputs of a portfolio, except for the prices of mints that are not supported assets. */
interface Readings {
  address: string;
  lamports: bigint;
  swappable: bigint;
  held: TokenHoldings;
  prices: Prices | null;
}

/** Caches the last portfolio of each holdings reading. The RPC cache returns the same reading to many requests. */
const cachedPortfolios = new WeakMap<TokenHoldings, { of: Readings; portfolio: Portfolio }>();

/** Reads a wallet's balances and values them at the current prices. @throws AppError upstream_* */
export async function readPortfolio(deps: Deps, address: string): Promise<Portfolio> {
  const [{ balance: lamports, swappable }, held, prices] = await Promise.all([
    readSwapBudget(deps, address, [DEFAULT_ASSET], { isJoined: true }),
    deps.rpc.readTokenHoldings(address, { mayLackNew: true }),
    readPricesOrNull(deps),
  ]);
  const readings: Readings = { address, lamports, swappable, held, prices };
  const last = cachedPortfolios.get(held);
  if (last && isSame(last.of, readings)) return last.portfolio;

  const { mints, leftOut } = selectContents(held);
  const unknown = [...mints.keys()].filter((mint) => findAssetByMint(mint) === null);
  if (unknown.length > 0)
    return buildPortfolio(deps, readings, { mints, leftOut }, await deps.prices.readMints(unknown));
  const portfolio = buildPortfolio(deps, readings, { mints, leftOut }, {});
  cachedPortfolios.set(held, { of: readings, portfolio });
  return portfolio;
}

function isSame(a: Readings, b: Readings): boolean {
  return a.address === b.address && a.lamports === b.lamports && a.swappable === b.swappable && a.prices === b.prices;
}

function buildPortfolio(
  { network, clock }: Deps,
  { address, lamports, swappable, prices }: Readings,
  { mints, leftOut }: PortfolioContents,
  otherPrices: Record<string, number | null>,
): Portfolio {
  const sol = toSolBalance(lamports, prices);
  const tokens = [...mints].map(([mint, { amount, decimals }]) =>
    toTokenBalance(mint, amount, decimals, prices, otherPrices),
  );
  const balances = [...(lamports > 0n ? [sol] : []), ...tokens].sort(compareBalances);
  const priced = balances.filter(({ usdValue }) => usdValue !== null);
  return {
    walletAddress: address,
    network,
    balances,
    leftOut,
    totalUsd:
      prices === null && priced.length === 0
        ? null
        : roundToMicro(priced.reduce((sum, { usdValue }) => sum + usdValue!, 0)),
    pendingSol: lamportsToSol(lamports),
    pendingLamports: Number(lamports),
    pendingUsd: sol.usdValue,
    investableLamports: prices === null ? null : Number(swappable),
    investableUsd: toSolBalance(swappable, prices).usdValue,
    solPriceUsd: sol.priceUsd,
    asOf: new Date(clock.now()).toISOString(),
  };
}

/** Keyed by mint. */
type Holdings = Map<string, { amount: bigint; decimals: number }>;

interface PortfolioContents {
  mints: Holdings;
  leftOut: LeftOut[];
}

/** Returns the mints that the portfolio lists, supported assets first, and what it leaves out. */
function selectContents({ holdings, leftOut }: TokenHoldings): PortfolioContents {
  const all = [...sumByMint(holdings)];
  const isAsset = ([mint]: (typeof all)[number]) => findAssetByMint(mint) !== null;
  const shown = all.length <= MAX_MINTS ? all : [...all.filter(isAsset), ...all.filter((balance) => !isAsset(balance))];
  const unlisted = Math.max(0, all.length - MAX_MINTS);
  const unnamed = Math.max(0, leftOut.length - MAX_NAMED);
  return {
    mints: new Map(shown.slice(0, MAX_MINTS)),
    leftOut: [
      ...leftOut.slice(0, MAX_NAMED),
      ...toSummary(unnamed, "more token accounts could not be read."),
      ...toSummary(unlisted, "more tokens are not listed: the wallet holds too many."),
    ],
  };
}

const toSummary = (count: number, what: string): LeftOut[] =>
  count === 0 ? [] : [{ account: null, reason: `${count.toLocaleString("en-US")} ${what}` }];

function sumByMint(holdings: TokenHolding[]): Holdings {
  const mints: Holdings = new Map();
  for (const { mint, amount, decimals } of holdings) {
    if (amount > 0n) mints.set(mint, { amount: (mints.get(mint)?.amount ?? 0n) + amount, decimals });
  }
  return mints;
}

function toSolBalance(lamports: bigint, prices: Prices | null): Balance {
  return toBalance("SOL", "SOL", NATIVE_MINT, lamports, 9, prices?.usd.SOL);
}

function toTokenBalance(
  mint: string,
  amount: bigint,
  decimals: number,
  prices: Prices | null,
  otherPrices: Record<string, number | null>,
): Balance {
  const asset = findAssetByMint(mint);
  const price = asset ? prices?.usd[asset] : otherPrices[mint];
  return toBalance(asset, toTokenSymbol(mint), mint, amount, decimals, price);
}

function toBalance(
  asset: AssetSymbol | null,
  symbol: string,
  mint: string,
  amount: bigint,
  decimals: number,
  price: number | null | undefined,
): Balance {
  const priceUsd = price ?? null;
  const usdValue = priceUsd === null ? null : fromMicroUsd(computeValueMicroUsd(amount, decimals, priceUsd));
  return {
    asset,
    symbol,
    mint,
    balance: toCoins(amount, decimals),
    amount: amount.toString(),
    decimals,
    priceUsd,
    usdValue,
    unpriced: priceUsd !== null ? null : price === null ? "none" : "unknown",
  };
}

function compareBalances(a: Balance, b: Balance): number {
  return Number(b.asset !== null) - Number(a.asset !== null) || (b.usdValue ?? -1) - (a.usdValue ?? -1);
}
