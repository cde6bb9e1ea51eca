import type { Chain } from "../chain/types";
import type { Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { isStale, type Quote, quoteTrade, type Trade } from "./quote";
import { MarketRefusal } from "./request";

/** How long a quote is valid, ms. Slow blocks do not extend it. */
export const QUOTE_TTL_MS = 60_000;

/**
 * Maximum number of open escrows. Further builds are refused with 429, unless an escrow that has ended can be closed
 * first.
 */
export const MAX_ESCROWS = 512;

/**
 * Maximum number of escrows per taker. A further build closes the taker's oldest escrow. An investment buys at most 4
 * assets.
 */
export const MAX_ESCROWS_PER_TAKER = 8;

/** Maximum number of escrows that one sweep closes, oldest first. Each close blocks callers for milliseconds. */
export const MAX_CLOSES_PER_SWEEP = 64;

/** A firm quote, with coins reserved for one taker. */
interface FirmQuote {
  trade: Trade;
  taker: string;
  quote: Quote;
  lastValidBlockHeight: number;
  openedAtMs: number;
}

export type Escrows = ReturnType<typeof createEscrows>;

/**
 * Manages the escrows: token accounts that reserve coins for open quotes.
 * @param onError called when an escrow could not be closed. The next `closeEndedEscrows` retries it, if this process
 * opened it
 */
export function createEscrows(
  deps: { chain: Chain; maker: Maker; prices: PriceBook; now: () => number },
  onError: (error: unknown) => void,
) {
  const { chain, maker, prices, now } = deps;
  const firmQuoteByAccount = new Map<string, FirmQuote>();

  const tryToClose = (escrowAddress: string) => {
    try {
      maker.closeEscrow(escrowAddress);
      firmQuoteByAccount.delete(escrowAddress);
    } catch (error) {
      onError(error);
    }
  };

  const shouldClose = (escrowAddress: string, { trade, quote, lastValidBlockHeight, openedAtMs }: FirmQuote) => {
    if (!maker.readBalance(escrowAddress)) return true;
    if (chain.getBlockHeight() > lastValidBlockHeight || now() - openedAtMs >= QUOTE_TTL_MS) return true;
    return isStale(quote, quoteTrade(trade, prices).outAmount);
  };

  /** Closes escrows that are spent or expired, or whose price moved beyond the slippage. Reports a failed close. */
  const closeEndedEscrows = (): void => {
    const endedEscrows = [...firmQuoteByAccount].filter(([address, firmQuote]) => shouldClose(address, firmQuote));
    for (const [escrowAddress] of endedEscrows.slice(0, MAX_CLOSES_PER_SWEEP)) tryToClose(escrowAddress);
  };

  return {
    /**
     * Reserves the quoted coins in a new escrow. Each quote needs its own escrow, because a token escrow has one
     * delegate at a time.
     * @returns the escrow's address
     * @throws MarketRefusal 429 when MAX_ESCROWS are open; RpcError when the maker's transaction fails
     */
    openEscrow(firmQuote: Omit<FirmQuote, "openedAtMs">): string {
      if (firmQuoteByAccount.size >= MAX_ESCROWS) closeEndedEscrows();
      const takerEscrows = [...firmQuoteByAccount].filter(([, { taker }]) => taker === firmQuote.taker);
      if (takerEscrows.length >= MAX_ESCROWS_PER_TAKER) tryToClose(takerEscrows[0]![0]);
      if (firmQuoteByAccount.size >= MAX_ESCROWS)
        throw new MarketRefusal("Too many open quotes, try again shortly", 429);
      const escrowAddress = maker.openEscrow(firmQuote.trade.bought, firmQuote.taker, firmQuote.quote.outAmount);
      firmQuoteByAccount.set(escrowAddress, { ...firmQuote, openedAtMs: now() });
      return escrowAddress;
    },
    closeEndedEscrows,
    /** Closes every escrow on the chain, including those of an earlier process. Reports a failed close. */
    reclaimAll(): void {
      for (const escrowAddress of maker.listEscrows()) tryToClose(escrowAddress);
    },
    countOpen: () => firmQuoteByAccount.size,
  };
}
