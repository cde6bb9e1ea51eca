import type { DataOf } from "../../../contracts/define";
import type { getPortfolioContract } from "../../../contracts/get-portfolio";
import { DEFAULT_ASSET, findAssetByMint } from "../../../domain/assets";
import type { TokenHolding } from "../../../domain/holdings";
import { computeValueMicroUsd, fromMicroUsd, lamportsToSol, roundToMicro, toCoins } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import type { LeftOut, TokenHoldings } from "../../../ports/solana-rpc";
import type { TokenAmount } from "../../../solana/token-instructions";
import { describeSol, describeTokens } from "../amounts";
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

  const contents = selectContents(held);
  const unknown = contents.tokens.map(({ mint }) => mint).filter((mint) => findAssetByMint(mint) === null);
  if (unknown.length > 0) return buildPortfolio(deps, readings, contents, await deps.prices.readMints(unknown));
  const portfolio = buildPortfolio(deps, readings, contents, {});
  cachedPortfolios.set(held, { of: readings, portfolio });
  return portfolio;
}

function isSame(a: Readings, b: Readings): boolean {
  return a.address === b.address && a.lamports === b.lamports && a.swappable === b.swappable && a.prices === b.prices;
}

function buildPortfolio(
  { network, clock }: Deps,
  { address, lamports, swappable, prices }: Readings,
  { tokens, leftOut }: PortfolioContents,
  otherPrices: Record<string, number | null>,
): Portfolio {
  const sol = toSolBalance(lamports, prices);
  const listed = tokens.map((token) => toTokenBalance(token, prices, otherPrices));
  const balances = [...(lamports > 0n ? [sol] : []), ...listed].sort(compareBalances);
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

interface PortfolioContents {
  /** One entry for each mint. */
  tokens: TokenAmount[];
  leftOut: LeftOut[];
}

/** Returns the tokens that the portfolio lists, supported assets first, and what it leaves out. */
function selectContents({ holdings, leftOut }: TokenHoldings): PortfolioContents {
  const all = sumByMint(holdings);
  const isAsset = ({ mint }: TokenAmount) => findAssetByMint(mint) !== null;
  const shown = all.length <= MAX_MINTS ? all : [...all.filter(isAsset), ...all.filter((token) => !isAsset(token))];
  const unlisted = Math.max(0, all.length - MAX_MINTS);
  const unnamed = Math.max(0, leftOut.length - MAX_NAMED);
  return {
    tokens: shown.slice(0, MAX_MINTS),
    leftOut: [
      ...leftOut.slice(0, MAX_NAMED),
      ...toSummary(unnamed, "more token accounts could not be read."),
      ...toSummary(unlisted, "more tokens are not listed: the wallet holds too many."),
    ],
  };
}

const toSummary = (count: number, what: string): LeftOut[] =>
  count === 0 ? [] : [{ account: null, reason: `${count.toLocaleString("en-US")} ${what}` }];

function sumByMint(holdings: TokenHolding[]): TokenAmount[] {
  const tokens = new Map<string, TokenAmount>();
  for (const { mint, amount, decimals } of holdings) {
    if (amount > 0n) tokens.set(mint, { mint, amount: (tokens.get(mint)?.amount ?? 0n) + amount, decimals });
  }
  return [...tokens.values()];
}

const toSolBalance = (lamports: bigint, prices: Prices | null): Balance =>
  toBalance(describeSol(lamports), lamports, prices?.usd.SOL);

function toTokenBalance(
  token: TokenAmount,
  prices: Prices | null,
  otherPrices: Record<string, number | null>,
): Balance {
  const described = describeTokens(token);
  const price = described.asset ? prices?.usd[described.asset] : otherPrices[token.mint];
  return toBalance(described, token.amount, price);
}

/** @param price US dollars per coin; null for a token without a market price; undefined if it is not known now */
function toBalance(
  described: ReturnType<typeof describeTokens>,
  amount: bigint,
  price: number | null | undefined,
): Balance {
  const priceUsd = price ?? null;
  return {
    balance: toCoins(amount, described.decimals),
    priceUsd,
    usdValue: priceUsd === null ? null : fromMicroUsd(computeValueMicroUsd(amount, described.decimals, priceUsd)),
    unpriced: priceUsd !== null ? null : price === null ? "none" : "unknown",
    ...described,
  };
}

function compareBalances(a: Balance, b: Balance): number {
  return Number(b.asset !== null) - Number(a.asset !== null) || (b.usdValue ?? -1) - (a.usdValue ?? -1);
}
