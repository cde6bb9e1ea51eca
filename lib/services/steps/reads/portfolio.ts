import type { DataOf } from "../../../contracts/define";
import type { getPortfolioContract } from "../../../contracts/get-portfolio";
import { DEFAULT_ASSET, findAssetByMint, isKnownToken } from "../../../domain/assets";
import type { TokenHolding } from "../../../domain/chain-accounts";
import { computeValueMicroUsd, fromMicroUsd, lamportsToSol, roundToMicro, toCoins } from "../../../domain/money";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import type { LeftOutEntry, TokenHoldings } from "../../../ports/solana-rpc";
import type { TokenAmount } from "../../../solana/token-instructions";
import { describeSolAmount, describeTokenAmount } from "../amounts";
import { readPricesOrNull } from "../prices/read-prices";
import { readSwapBudget } from "../swap/swap-budget";

type Portfolio = DataOf<typeof getPortfolioContract>;
type Balance = Portfolio["balances"][number];

/** Limit of mints that a portfolio lists besides SOL. Strangers can send a wallet any number of tokens. */
const MAX_MINTS = 1_000;
const MAX_NAMED_ACCOUNTS = 100;

/** The inputs of a portfolio besides its token holdings. A portfolio with other mints also needs their prices. */
type Readings = [address: string, lamports: bigint, swappableLamports: bigint, prices: Prices | null];

/** Caches the last portfolio of each TokenHoldings object. The RPC cache returns the same object to many requests. */
const cachedPortfolios = new WeakMap<TokenHoldings, { readings: Readings; portfolio: Portfolio }>();

/** Reads a wallet's balances and values them at the current prices. */
export async function readPortfolio(deps: Deps, address: string): Promise<Portfolio> {
  const [{ balanceLamports: lamports, swappableAmount: swappableLamports }, tokenHoldings, prices] = await Promise.all([
    readSwapBudget(deps, address, "SOL", [DEFAULT_ASSET], { waitsForBatch: true }),
    deps.rpc.readTokenHoldings(address, { mayLackNewAccounts: true }),
    readPricesOrNull(deps),
  ]);
  const readings: Readings = [address, lamports, swappableLamports, prices];
  const cachedEntry = cachedPortfolios.get(tokenHoldings);
  if (cachedEntry?.readings.every((reading, i) => reading === readings[i])) return cachedEntry.portfolio;

  const contents = selectContents(tokenHoldings);
  const unknownMints = contents.tokens.map(({ mint }) => mint).filter((mint) => findAssetByMint(mint) === null);
  if (unknownMints.length > 0)
    return buildPortfolio(deps, readings, contents, await deps.prices.readMintPrices(unknownMints));
  const portfolio = buildPortfolio(deps, readings, contents, {});
  cachedPortfolios.set(tokenHoldings, { readings, portfolio });
  return portfolio;
}

function buildPortfolio(
  { network, clock }: Deps,
  [address, lamports, swappableLamports, prices]: Readings,
  { tokens, leftOut }: ReturnType<typeof selectContents>,
  otherPrices: Record<string, number | null>,
): Portfolio {
  const solBalance = toSolBalance(lamports, prices);
  const tokenBalances = tokens.map((token) => {
    const tokenFields = describeTokenAmount(token);
    const marketPrice = tokenFields.asset ? prices?.usd[tokenFields.asset] : otherPrices[token.mint];
    return toBalance(tokenFields, token.amount, marketPrice);
  });
  const balances = [...(lamports > 0n ? [solBalance] : []), ...tokenBalances].sort(compareBalances);
  const pricedBalances = balances.filter(({ usdValue }) => usdValue !== null);
  return {
    walletAddress: address,
    network,
    balances,
    leftOut,
    totalUsd:
      prices === null && pricedBalances.length === 0
        ? null
        : roundToMicro(pricedBalances.reduce((sum, { usdValue }) => sum + usdValue!, 0)),
    pendingSol: lamportsToSol(lamports),
    pendingLamports: Number(lamports),
    pendingUsd: solBalance.usdValue,
    investableLamports: prices === null ? null : Number(swappableLamports),
    investableUsd: toSolBalance(swappableLamports, prices).usdValue,
    solPriceUsd: solBalance.priceUsd,
    asOf: new Date(clock.now()).toISOString(),
  };
}

/**
 * Returns the tokens that the portfolio lists, and what it leaves out. Known tokens come first: they are never left out,
 * and their prices are among those that one request loads.
 */
function selectContents({ holdings, leftOut }: TokenHoldings) {
  const heldTokens = sumByMint(holdings);
  const orderedTokens = [...heldTokens.filter(isKnownToken), ...heldTokens.filter((token) => !isKnownToken(token))];
  const unlistedCount = Math.max(0, heldTokens.length - MAX_MINTS);
  const unnamedCount = Math.max(0, leftOut.length - MAX_NAMED_ACCOUNTS);
  return {
    tokens: orderedTokens.slice(0, MAX_MINTS),
    leftOut: [
      ...leftOut.slice(0, MAX_NAMED_ACCOUNTS),
      ...toSummaryList(unnamedCount, "more token accounts could not be read."),
      ...toSummaryList(unlistedCount, "more tokens are not listed: the wallet holds too many."),
    ],
  };
}

const toSummaryList = (count: number, text: string): LeftOutEntry[] =>
  count === 0 ? [] : [{ account: null, reason: `${count.toLocaleString("en-US")} ${text}` }];

function sumByMint(holdings: TokenHolding[]): TokenAmount[] {
  const tokens = new Map<string, TokenAmount>();
  for (const { mint, amount, decimals } of holdings) {
    if (amount > 0n) tokens.set(mint, { mint, amount: (tokens.get(mint)?.amount ?? 0n) + amount, decimals });
  }
  return [...tokens.values()];
}

const toSolBalance = (lamports: bigint, prices: Prices | null): Balance =>
  toBalance(describeSolAmount(lamports), lamports, prices?.usd.SOL);

/**
 * Converts an amount to a balance of the portfolio.
 * @param marketPrice US dollars per coin; null for a token without a market price; undefined if it is not known now
 */
function toBalance(
  amountFields: ReturnType<typeof describeTokenAmount>,
  amount: bigint,
  marketPrice: number | null | undefined,
): Balance {
  const priceUsd = marketPrice ?? null;
  return {
    balance: toCoins(amount, amountFields.decimals),
    priceUsd,
    usdValue: priceUsd === null ? null : fromMicroUsd(computeValueMicroUsd(amount, amountFields.decimals, priceUsd)),
    unpriced: priceUsd !== null ? null : marketPrice === null ? "none" : "unknown",
    ...amountFields,
  };
}

function compareBalances(left: Balance, right: Balance): number {
  return Number(isKnownToken(right)) - Number(isKnownToken(left)) || (right.usdValue ?? -1) - (left.usdValue ?? -1);
}
