import bs58 from "bs58";
import { ASSETS } from "../../domain/assets";
import { fromMicroUsd } from "../../domain/money";
import { QUOTE_TAKER } from "../../domain/swap/quote-taker";
import { buildSetComputeUnitPrice } from "../../solana/compute-budget";
import type { InstructionLike } from "../../solana/instructions";
import { NATIVE_MINT } from "../../solana/programs";
import { buildSystemTransfer } from "../../solana/system-instructions";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../solana/token-instructions";
import type { Chain } from "../chain/types";
import { createEscrows, type Escrows } from "./escrows";
import { createMaker, type Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { findListing, type Listing, type Quote, quoteTrade } from "./quote";
import { type BuildRequest, MarketRefusal, NO_ROUTES, parseBuildRequest, parsePriceIds } from "./request";

const ROUTE_LABEL = "Sandbox Maker";

/** Price of a compute unit, as on an uncongested cluster. */
const COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 10_000n;

/** Time between two ticks, ms. */
const TICK_MS = 1_000;

interface MarketOptions {
  chain: Chain;
  /** 32 bytes that derive the maker's key. Must stay the same for the life of the chain. */
  seed: Uint8Array;
  prices: PriceBook;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Called when a transaction of the maker fails, which the next tick retries, or when a request fails with 500. */
  reportError: (error: unknown) => void;
}

export type Market = ReturnType<typeof createMarket>;

/**
 * Creates the sandbox's swap venue: a maker that trades coins and SOL at the book's prices. Only the taker signs a
 * swap. Each build puts the bought coins into an escrow account and approves the taker for exactly the quoted amount.
 * The swap transfers the sold coins in and makes a delegated transfer out. SOL is paid out wrapped and unwrapped at the
 * end.
 *
 * The chain does not tie the two transfers together: a taker could omit the first and take the approved coins for free.
 * Only the maker's signature or a custom program could prevent that. The sandbox accepts it because all money is play
 * money.
 */
export function createMarket({ chain, seed, prices, now, reportError }: MarketOptions) {
  const maker = createMaker(chain, seed, now);
  const escrows = createEscrows({ chain, maker, prices, now, reportError });
  const venue: Venue = { chain, maker, escrows, prices };
  let timer: NodeJS.Timeout | undefined;

  const tick = () => {
    escrows.closeUnusableEscrows();
    try {
      maker.restock();
    } catch (error) {
      reportError(error);
    }
  };

  return {
    /** Address that receives the sold SOL of every swap, base58. */
    makerAddress: maker.address,
    /** Issues play USDC to a wallet, base units. Returns the transaction's signature. @throws RpcError */
    issueUsdc: (owner: string, amount: bigint) => maker.issueTo(owner, ASSETS.USDC.mint, amount),
    countOpenQuotes: escrows.countOpen,
    /** Closes unusable escrows and restocks the maker. Call it about every second, or use start(). */
    tick,
    /** Prepares the market on a new or existing chain, and closes escrows that were left open. @throws RpcError */
    createAccounts() {
      maker.createMints();
      maker.restock();
      escrows.closeAll();
    },
    /** Calls tick() every second, without keeping the process alive. */
    start() {
      timer ??= setInterval(tick, TICK_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    async handle(url: URL) {
      try {
        return { status: 200, body: answerRequest(venue, url) };
      } catch (error) {
        if (error instanceof MarketRefusal) return { status: error.status, body: { error: error.message } };
        reportError(error);
        return { status: 500, body: { error: "Internal server error" } };
      }
    },
  };
}

interface Venue {
  chain: Chain;
  maker: Maker;
  escrows: Escrows;
  prices: PriceBook;
}

/** Routes a request. @throws MarketRefusal, RpcError */
function answerRequest(venue: Venue, url: URL): unknown {
  if (url.pathname === "/swap/v2/build") return buildSwap(venue, parseBuildRequest(url.searchParams));
  if (url.pathname === "/price/v3") return listPrices(venue, parsePriceIds(url.searchParams));
  throw new MarketRefusal("Not found", 404);
}

/** Answers GET /price/v3. The answer omits unknown mints. */
function listPrices({ chain, prices }: Venue, mints: string[]): Record<string, unknown> {
  const listings = mints.flatMap((mint) => findListing(mint) ?? []);
  const toPriceEntry = ({ mint, symbol, decimals, depthMicroUsd }: Listing) => [
    mint,
    {
      usdPrice: fromMicroUsd(prices.getMicroUsd(symbol)),
      blockId: chain.getSlot(),
      decimals,
      priceChange24h: prices.computeChange24hPercent(symbol),
      liquidity: fromMicroUsd(depthMicroUsd * 2n),
    },
  ];
  return Object.fromEntries(listings.map(toPriceEntry));
}

function buildSwap({ chain, maker, escrows, prices }: Venue, request: BuildRequest): unknown {
  const { taker, expirySlots, ...trade } = request;
  const { mint } = trade.bought;
  const quote = quoteTrade(trade, prices);
  if (quote.outAmount === 0n || quote.outAmount > maker.computeAvailableUnits(mint)) throw new MarketRefusal(NO_ROUTES);

  const latestBlockhash = chain.getLatestBlockhash();
  const lastValidBlockHeight = Math.min(latestBlockhash.lastValidBlockHeight, chain.getBlockHeight() + expirySlots);
  // A request for a quote reserves no coins. Its swap names the maker's own account, from which no taker may transfer.
  const source =
    taker === QUOTE_TAKER
      ? maker.findInventoryAccount(mint)
      : escrows.openEscrow({ trade, taker, quote, lastValidBlockHeight });
  return {
    ...summarizeBuild(request, quote, source),
    ...buildInstructions(request, quote, source, maker),
    addressesByLookupTableAddress: null,
    blockhashWithMetadata: { blockhash: [...bs58.decode(latestBlockhash.blockhash)], lastValidBlockHeight },
  };
}

function summarizeBuild({ sold, bought, amount, slippageBps }: BuildRequest, quote: Quote, source: string) {
  const pair = { inputMint: sold.mint, outputMint: bought.mint };
  const amounts = { inAmount: amount.toString(), outAmount: quote.outAmount.toString() };
  return {
    ...pair,
    ...amounts,
    otherAmountThreshold: quote.threshold.toString(),
    swapMode: "ExactIn",
    slippageBps,
    // String() would write a tiny impact in exponent form.
    priceImpactPct: quote.impact.toFixed(12),
    routePlan: [{ swapInfo: { ammKey: source, label: ROUTE_LABEL, ...pair, ...amounts }, percent: 100, bps: 10_000 }],
  };
}

function buildInstructions(request: BuildRequest, quote: Quote, source: string, maker: Maker) {
  const { bought, taker } = request;
  const { mint, program, decimals } = bought;
  const destination = deriveAssociatedTokenAddress(taker, mint, program);
  const transfer = { source, destination, authority: taker, mint, amount: quote.outAmount, decimals };
  return {
    computeBudgetInstructions: [buildSetComputeUnitPrice(COMPUTE_UNIT_PRICE_MICRO_LAMPORTS)],
    setupInstructions: [
      buildCreateAssociatedTokenAccount({ payer: taker, owner: taker, mint }, program),
      buildPayment(request, maker),
    ],
    swapInstruction: buildTransferChecked(transfer, program),
    cleanupInstruction:
      mint === NATIVE_MINT ? buildCloseAccount({ account: destination, destination: taker, owner: taker }) : null,
    otherInstructions: [],
    tipInstruction: null,
  };
}

function buildPayment({ sold, amount, taker }: BuildRequest, maker: Maker): InstructionLike {
  const { mint, program, decimals } = sold;
  if (mint === NATIVE_MINT) return buildSystemTransfer(taker, maker.address, amount);
  const source = deriveAssociatedTokenAddress(taker, mint, program);
  const transfer = { source, destination: maker.findInventoryAccount(mint), authority: taker, mint, amount, decimals };
  return buildTransferChecked(transfer, program);
}
