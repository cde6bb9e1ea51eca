import { NATIVE_MINT } from "../solana/programs";
import { shortenAddress } from "../solana/short-address";

/** The assets that savings can be invested in. */
export const ASSET_SYMBOLS = ["BTC", "ETH", "SOL", "USDC", "USDT"] as const;
export type AssetSymbol = (typeof ASSET_SYMBOLS)[number];

/** The assets that can be bought with SOL and sold. */
export const TRADED_ASSETS = ["BTC", "ETH", "USDC", "USDT"] as const satisfies readonly AssetSymbol[];
export type TradedAsset = (typeof TRADED_ASSETS)[number];
/** The assets that an investment can spend. */
export const PAY_ASSETS = ["SOL", "USDC"] as const satisfies readonly AssetSymbol[];
export type PayAsset = (typeof PAY_ASSETS)[number];
/** The assets that a sale can pay out. */
export const SALE_TARGETS = ["SOL", "USDC"] as const satisfies readonly AssetSymbol[];
export type SaleTarget = (typeof SALE_TARGETS)[number];

/** The asset bought when a request names none. */
export const DEFAULT_ASSET = "BTC";

export interface Asset {
  /** Mint address, base58. */
  mint: string;
  /** One base unit is 10^-decimals coins. */
  decimals: number;
  name: string;
}

/**
 * The assets' mints on Solana mainnet, which the sandbox uses too. Source: the issuers' announcements. Coinbase cbBTC,
 * Circle USDC, Tether USDT; Wormhole wETH has 8 decimals.
 */
export const ASSETS: Record<AssetSymbol, Asset> = {
  BTC: { mint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij", decimals: 8, name: "Coinbase Wrapped BTC" },
  ETH: { mint: "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs", decimals: 8, name: "Ether (Portal)" },
  SOL: { mint: NATIVE_MINT, decimals: 9, name: "Solana" },
  USDC: { mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6, name: "USD Coin" },
  USDT: { mint: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", decimals: 6, name: "Tether USD" },
};

/**
 * Dollar tokens that are no supported assets, by symbol. They count in payments and portfolios and can be withdrawn, but
 * are never bought or sold. All belong to Token-2022.
 * Source: the mainnet entries of DEFAULT_ASSETS in @x402/svm 2.27.0.
 */
export const OTHER_DOLLARS = {
  USDG: { mint: "2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH", decimals: 6, name: "Global Dollar" },
  PYUSD: { mint: "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo", decimals: 6, name: "PayPal USD" },
  CASH: { mint: "CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH", decimals: 6, name: "Phantom Cash" },
} satisfies Record<string, Asset>;
type OtherDollar = keyof typeof OTHER_DOLLARS;

/** The supported assets and the other dollar tokens. */
export type KnownToken = AssetSymbol | OtherDollar;
export const KNOWN_TOKENS: Record<KnownToken, Asset> = { ...ASSETS, ...OTHER_DOLLARS };
export const KNOWN_TOKEN_SYMBOLS = [...ASSET_SYMBOLS, "USDG", "PYUSD", "CASH"] as const satisfies readonly KnownToken[];

/** Mints of all dollar tokens. */
export const DOLLAR_MINTS = [ASSETS.USDC, ASSETS.USDT, ...Object.values(OTHER_DOLLARS)].map(({ mint }) => mint);

export const isDollarMint = (mint: string) => DOLLAR_MINTS.includes(mint);

/** Older mints that count as an asset when a portfolio is read. They are never bought. */
export const LEGACY_MINTS: Record<string, AssetSymbol> = { "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh": "BTC" };

const ASSET_OF_MINT = new Map<string, AssetSymbol>([
  ...ASSET_SYMBOLS.map((symbol) => [ASSETS[symbol].mint, symbol] as const),
  ...Object.entries(LEGACY_MINTS),
]);

/** Returns the asset that a mint counts as, older mints included. Returns null for any other token. */
export function findAssetByMint(mint: string): AssetSymbol | null {
  return ASSET_OF_MINT.get(mint) ?? null;
}

/** Returns the known token that a mint counts as, older mints included. Returns null for any other token. */
export const findKnownTokenByMint = (mint: string): KnownToken | null =>
  findAssetByMint(mint) ?? KNOWN_TOKEN_SYMBOLS.find((symbol) => KNOWN_TOKENS[symbol].mint === mint) ?? null;

export const isKnownToken = ({ mint }: { mint: string }) => findKnownTokenByMint(mint) !== null;

/** Returns a token's display name. Older mints and wrapped SOL get distinct names; unknown mints are shortened. */
export function toTokenSymbol(mint: string): string {
  const symbol = findKnownTokenByMint(mint);
  if (symbol === null) return shortenAddress(mint);
  if (mint === NATIVE_MINT) return "wSOL";
  return mint in LEGACY_MINTS ? `W${symbol}` : symbol;
}
