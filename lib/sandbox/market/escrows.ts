import type { Chain } from "../chain/types";
import type { Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { isQuoteStale, type Quote, quoteTrade, type Trade } from "./quote";

/** How long a quote is valid, ms. Slow blocks do not extend it. */
export const QUOTE_TTL_MS = 60_000;

/** Open escrows per taker: two investments of at most 4 assets. A further build closes the taker's oldest escrow. */
const MAX_ESCROWS_PER_TAKER = 8;

/** A quote whose coins are reserved in an escrow for one taker. */
interface FirmQuote {
  trade: Trade;
  taker: string;
  quote: Quote;
  lastValidBlockHeight: number;
  openedAtMs: number;
}

export type Escrows = ReturnType<typeof createEscrows>;

interface EscrowOptions {
  chain: Chain;
  maker: Maker;
  prices: PriceBook;
  now: () => number;
  /** Called when an escrow could not be closed. The next sweep retries an escrow that this process opened. */
  reportError: (error: unknown) => void;
}

export function createEscrows({ chain, maker, prices, now, reportError }: EscrowOptions) {
  const firmQuoteByEscrow = new Map<string, FirmQuote>();

  const tryToClose = (escrowAddress: string) => {
    try {
      maker.closeEscrow(escrowAddress);
      firmQuoteByEscrow.delete(escrowAddress);
    } catch (error) {
      reportError(error);
    }
  };

  const isUnusable = (escrowAddress: string, { trade, quote, lastValidBlockHeight, openedAtMs }: FirmQuote) => {
    if (!maker.readBalance(escrowAddress)) return true;
    if (chain.getBlockHeight() > lastValidBlockHeight || now() - openedAtMs >= QUOTE_TTL_MS) return true;
    return isQuoteStale(quote, quoteTrade(trade, prices).outAmount);
  };

  return {
    /**
     * Reserves the quoted coins in a new escrow. Each quote needs its own escrow, because a token escrow has one
     * delegate at a time.
     * @returns the escrow's address
     * @throws RpcError when the maker's transaction fails
     */
    openEscrow(firmQuote: Omit<FirmQuote, "openedAtMs">): string {
      const takerEscrows = [...firmQuoteByEscrow].filter(([, { taker }]) => taker === firmQuote.taker);
      if (takerEscrows.length >= MAX_ESCROWS_PER_TAKER) tryToClose(takerEscrows[0]![0]);
      const escrowAddress = maker.openEscrow(firmQuote.trade.bought, firmQuote.taker, firmQuote.quote.outAmount);
      firmQuoteByEscrow.set(escrowAddress, { ...firmQuote, openedAtMs: now() });
      return escrowAddress;
    },
    /** Closes escrows that are spent or expired, or whose price moved beyond the slippage. */
    closeUnusableEscrows(): void {
      for (const [address, firmQuote] of firmQuoteByEscrow) if (isUnusable(address, firmQuote)) tryToClose(address);
    },
    /** Closes every escrow on the chain, including those of an earlier process. */
    closeAll(): void {
      for (const escrowAddress of maker.listEscrows()) tryToClose(escrowAddress);
    },
    countOpen: () => firmQuoteByEscrow.size,
  };
}
