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

/** Creates a holding of `amount` base units in a new token account. Without `decimals`, an unsupported mint has none. */
export const createHolding = (
  mint: string,
  amount: bigint,
  decimals = ASSETS[findAssetByMint(mint)!]?.decimals ?? 0,
  tokenProgram = TOKEN_PROGRAM,
): TokenHolding => ({
  address: toTestWallet(`token account ${accountCount++}`).address,
  mint,
  amount,
  decimals,
  tokenProgram,
});
