import { findWalletAddressFault } from "../../solana/ed25519";
import { findListing, type Trade } from "./quote";

export class MarketRefusal extends Error {
  constructor(
    message: string,
    readonly status: 400 | 404 = 400,
  ) {
    super(message);
    this.name = "MarketRefusal";
  }
}

/** The aggregator's message when no venue takes a trade. */
export const NO_ROUTES = "No routes found";

/** Defaults and limits of `GET /swap/v2/build`. Source: dev.jup.ag, Swap API v2, build. */
const DEFAULT_SLIPPAGE_BPS = 50;
const MAX_SLIPPAGE_BPS = 10_000;
const DEFAULT_EXPIRY_SLOTS = 150;
const MAX_EXPIRY_SLOTS = 300;
const MAX_ACCOUNTS = 64;
const MAX_PRICE_IDS = 50;

export interface BuildRequest extends Trade {
  taker: string;
  /** Maximum number of slots for which the quote is valid. */
  expirySlots: number;
}

/**
 * Parses the query of a build. `maxAccounts` and `computeUnitPricePercentile` are accepted without effect: there is one
 * route and no congestion. Unknown parameters are ignored, as by the aggregator.
 * @throws MarketRefusal 400
 */
export function parseBuildRequest(query: URLSearchParams): BuildRequest {
  const inputMint = readRequired(query, "inputMint");
  const outputMint = readRequired(query, "outputMint");
  const amount = parseAmount(readRequired(query, "amount"));
  const taker = readRequired(query, "taker");
  const fault = findWalletAddressFault(taker);
  if (fault) throw new MarketRefusal(`Invalid taker: ${fault}`);
  const slippageBps = readInteger(query, "slippageBps", DEFAULT_SLIPPAGE_BPS, 0, MAX_SLIPPAGE_BPS);
  const expirySlots = readInteger(query, "blockhashSlotsToExpiry", DEFAULT_EXPIRY_SLOTS, 1, MAX_EXPIRY_SLOTS);
  readInteger(query, "maxAccounts", MAX_ACCOUNTS, 1, MAX_ACCOUNTS);
  const wrapsSolText = query.get("wrapAndUnwrapSol") ?? "true";
  if (wrapsSolText !== "true" && wrapsSolText !== "false")
    throw new MarketRefusal("Invalid wrapAndUnwrapSol: true or false");

  if (inputMint === outputMint) throw new MarketRefusal("inputMint and outputMint are the same");
  const [sold, bought] = [findListing(inputMint), findListing(outputMint)];
  // The maker trades native SOL only and leaves no wrapped SOL behind.
  if (!sold || !bought || wrapsSolText === "false") throw new MarketRefusal(NO_ROUTES);
  return { sold, bought, amount, taker, slippageBps, expirySlots };
}

/** Parses the mints of a price query without duplicates. @throws MarketRefusal 400 */
export function parsePriceIds(query: URLSearchParams): string[] {
  const ids = [...new Set((query.get("ids") ?? "").split(",").filter((id) => id !== ""))];
  if (ids.length === 0) throw new MarketRefusal("Query parameter ids is required");
  if (ids.length > MAX_PRICE_IDS) throw new MarketRefusal(`At most ${MAX_PRICE_IDS} ids are allowed`);
  return ids;
}

function readRequired(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (!value) throw new MarketRefusal(`Query parameter ${name} is required`);
  return value;
}

function parseAmount(text: string): bigint {
  const amount = /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  if (amount <= 0n || amount >= 1n << 64n) throw new MarketRefusal("Invalid amount: a whole number of base units");
  return amount;
}

function readInteger(query: URLSearchParams, name: string, fallback: number, min: number, max: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) throw new MarketRefusal(`Invalid ${name}: ${min} to ${max}`);
  return value;
}
