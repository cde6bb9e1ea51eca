import { ASSETS, findAssetByMint } from "../../../lib/domain/assets";
import type { TokenHolding } from "../../../lib/domain/chain-accounts";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { createFakeDeps, createSolAccount, type FakeDeps } from "../fakes/fake-deps";
import { toTestWallet } from "../fixtures/test-wallets";

export const wallet = toTestWallet("saver").address;

/** Stages a wallet that holds lamports and tokens. */
export function stageHoldings(lamports: bigint, ...holdings: TokenHolding[]): FakeDeps {
  const deps = createFakeDeps();
  if (lamports > 0n) deps.chain.accounts.set(wallet, createSolAccount(lamports));
  deps.chain.holdings.set(wallet, holdings);
  return deps;
}

let accountCount = 0;
/** Returns the decimals of a supported asset, or 0. */
function findDecimals(mint: string): number {
  const asset = findAssetByMint(mint);
  return asset ? ASSETS[asset].decimals : 0;
}

/** Creates a holding of `amount` base units in a new token account. */
export const createHolding = (
  mint: string,
  amount: bigint,
  decimals = findDecimals(mint),
  program = TOKEN_PROGRAM,
): TokenHolding => ({
  address: toTestWallet(`token account ${accountCount++}`).address,
  mint,
  amount,
  decimals,
  tokenProgram: program,
});
