import type { Chain } from "../chain/types";
import type { Maker } from "./maker";
import type { PriceBook } from "./price-book";
import { hasWalkedAway, type Quote, quote, type Trade } from "./quote";
import { MarketRefusal } from "./request";

/** A quote holds for no longer than this, however slowly blocks come. */
export const QUOTE_TTL_MS = 60_000;

/** Escrows open at a time; a build beyond that is refused with 429. */
export const MAX_ESCROWS = 512;

/** Of one taker; a build beyond that ends the taker's oldest. A build splits over at most 4 coins. */
export const MAX_ESCROWS_PER_TAKER = 8;

/** Ended by one sweep, oldest first: at some milliseconds each, more would hold up the chain's other callers. */
export const MAX_ENDS_PER_SWEEP = 64;

/** A firm quote: coins put aside for one taker. */
interface FirmQuote {
  trade: Trade;
  taker: string;
  quote: Quote;
  lastValidBlockHeight: number;
  openedAtMs: number;
}

export interface Escrows {
  /**
   * Puts the quoted coins aside in an escrow of their own, since a token account has one delegate at a time.
   * @returns its address
   * @throws MarketRefusal 429 when MAX_ESCROWS are open; RpcError
   */
  open(promise: Omit<FirmQuote, "openedAtMs">): string;
  /** Ends the escrows that are spent, expired, or whose price has walked beyond the slippage. Never throws. */
  sweep(): void;
  /** Ends every escrow found on the chain, also those an earlier process left behind. Never throws. */
  reclaimAll(): void;
  count(): number;
}

/** @param onError told about a transaction of the maker that failed; it is tried again with the next sweep */
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
      const own = [...live].filter(([, { taker }]) => taker === promise.taker);
      if (own.length >= MAX_ESCROWS_PER_TAKER) end(own[0]![0]);
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
