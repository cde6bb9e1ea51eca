import type { Chain } from "../chain/types";
import type { Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { hasWalkedAway, type Quote, quote, type Trade } from "./quote";
import { MarketRefusal } from "./request";

/** Longest validity of a quote in ms, even when blocks are slow. */
export const QUOTE_TTL_MS = 60_000;

/** Maximum number of open escrows. Further builds are refused with 429. */
export const MAX_ESCROWS = 512;

/** Maximum number of escrows per taker. A further build closes the taker's oldest. A build uses at most 4 assets. */
export const MAX_ESCROWS_PER_TAKER = 8;

/** Maximum number of escrows closed by one sweep, oldest first. Each takes milliseconds and blocks other callers. */
export const MAX_ENDS_PER_SWEEP = 64;

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
   * Reserves the quoted coins in a new escrow. Each quote needs its own, because a token account has one delegate at a
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

/** Creates the escrow store. @param onError called when a maker's transaction failed; the next sweep retries it */
export function createEscrows(
  deps: { chain: Chain; maker: Maker; prices: PriceBook; now: () => number },
  onError: (error: unknown) => void,
): Escrows {
  const { chain, maker, prices, now } = deps;
  const live = new Map<string, FirmQuote>();

  const end = (account: string) => {
    try {
      maker.closeEscrow(account);
      live.delete(account);
    } catch (error) {
      onError(error);
    }
  };

  const isOver = (account: string, promised: FirmQuote): boolean => {
    if (!maker.balance(account)) return true;
    if (chain.blockHeight() > promised.lastValidBlockHeight) return true;
    if (now() - promised.openedAtMs >= QUOTE_TTL_MS) return true;
    const fresh = quote(promised.trade, prices);
    return hasWalkedAway(promised.quote, fresh.outAmount);
  };

  const sweep = () => {
    const over = [...live].filter(([account, promised]) => isOver(account, promised));
    for (const [account] of over.slice(0, MAX_ENDS_PER_SWEEP)) end(account);
  };

  return {
    open(promise) {
      if (live.size >= MAX_ESCROWS) sweep();
      const takersEscrows = [...live].filter(([, { taker }]) => taker === promise.taker);
      if (takersEscrows.length >= MAX_ESCROWS_PER_TAKER) end(takersEscrows[0]![0]);
      if (live.size >= MAX_ESCROWS) throw new MarketRefusal("Too many open quotes, try again shortly", 429);
      const account = maker.openEscrow(promise.trade.bought, promise.taker, promise.quote.outAmount);
      live.set(account, { ...promise, openedAtMs: now() });
      return account;
    },
    sweep,
    reclaimAll() {
      for (const account of maker.openEscrows()) end(account);
    },
    count: () => live.size,
  };
}
