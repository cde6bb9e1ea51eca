import type { Chain } from "../chain/types";
import type { Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { hasWalkedAway, type Quote, quoteTrade, type Trade } from "./quote";
import { MarketRefusal } from "./request";

/** Lifetime of a quote in ms. Slow blocks do not extend it. */
export const QUOTE_TTL_MS = 60_000;

/** Maximum number of open escrows. Further builds are refused with 429. */
export const MAX_ESCROWS = 512;

/** Maximum number of escrows per taker. A further build closes the taker's oldest. A build uses at most 4 assets. */
export const MAX_ESCROWS_PER_TAKER = 8;

/** Maximum number of escrows closed by one sweep, oldest first. Each close takes milliseconds and blocks other callers. */
export const MAX_CLOSES_PER_SWEEP = 64;

/** A firm quote, with coins reserved for one taker. */
interface FirmQuote {
  trade: Trade;
  taker: string;
  quote: Quote;
  lastValidBlockHeight: number;
  openedAtMs: number;
}

export interface Escrows {
  /**
   * Reserves the quoted coins in a new escrow. Each quote needs its own escrow, because a token account has one delegate at a
   * time.
   * @returns the escrow's address
   * @throws MarketRefusal 429 when MAX_ESCROWS are open; RpcError
   */
  open(promise: Omit<FirmQuote, "openedAtMs">): string;
  /** Closes escrows that are spent, expired, or whose price moved beyond the slippage. Never throws. */
  sweep(): void;
  /** Closes every escrow on the chain, including those of an earlier process. Never throws. */
  reclaimAll(): void;
  count(): number;
}

/**
 * Creates the escrow store.
 * @param onError called when an escrow could not be closed. The next sweep retries those that this process opened
 */
export function createEscrows(
  deps: { chain: Chain; maker: Maker; prices: PriceBook; now: () => number },
  onError: (error: unknown) => void,
): Escrows {
  const { chain, maker, prices, now } = deps;
  const openByAccount = new Map<string, FirmQuote>();

  const close = (account: string) => {
    try {
      maker.closeEscrow(account);
      openByAccount.delete(account);
    } catch (error) {
      onError(error);
    }
  };

  const shouldClose = (account: string, promised: FirmQuote): boolean => {
    if (!maker.readBalance(account)) return true;
    if (chain.getBlockHeight() > promised.lastValidBlockHeight) return true;
    if (now() - promised.openedAtMs >= QUOTE_TTL_MS) return true;
    const fresh = quoteTrade(promised.trade, prices);
    return hasWalkedAway(promised.quote, fresh.outAmount);
  };

  const sweep = () => {
    const over = [...openByAccount].filter(([account, promised]) => shouldClose(account, promised));
    for (const [account] of over.slice(0, MAX_CLOSES_PER_SWEEP)) close(account);
  };

  return {
    open(promise) {
      if (openByAccount.size >= MAX_ESCROWS) sweep();
      const ofTaker = [...openByAccount].filter(([, { taker }]) => taker === promise.taker);
      if (ofTaker.length >= MAX_ESCROWS_PER_TAKER) close(ofTaker[0]![0]);
      if (openByAccount.size >= MAX_ESCROWS) throw new MarketRefusal("Too many open quotes, try again shortly", 429);
      const account = maker.openEscrow(promise.trade.bought, promise.taker, promise.quote.outAmount);
      openByAccount.set(account, { ...promise, openedAtMs: now() });
      return account;
    },
    sweep,
    reclaimAll() {
      for (const account of maker.openEscrows()) close(account);
    },
    count: () => openByAccount.size,
  };
}
