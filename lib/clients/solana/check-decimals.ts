import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../domain/assets";
import { AppError } from "../../errors";
import type { SolanaRpc } from "../../ports/solana-rpc";

/** The layout of a mint's data, the same in both token programs. Source: spl_token::state::Mint. */
const MINT_BYTES = 82;
const DECIMALS_AT = 44;

/**
 * Returns the assets whose mints have other decimals on the chain than this service assumes. `found` is null when the
 * mint could not be read.
 */
export async function findWrongDecimals(
  rpc: Pick<SolanaRpc, "accounts">,
): Promise<{ asset: AssetSymbol; found: number | null }[]> {
  const mints = ASSET_SYMBOLS.map((asset) => ASSETS[asset].mint);
  const accounts = await rpc.accounts(mints, { firstBytes: MINT_BYTES }).catch((error) => {
    if (error instanceof AppError) return [];
    throw error;
  });
  return ASSET_SYMBOLS.flatMap((asset, i) => {
    const data = accounts[i]?.data;
    const found = data?.length === MINT_BYTES ? data[DECIMALS_AT]! : null;
    return found === ASSETS[asset].decimals ? [] : [{ asset, found }];
  });
}
