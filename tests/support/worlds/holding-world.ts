import type { TokenHolding } from "../../../lib/domain/holdings";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { type FakeDeps, fakeDeps, solAccount } from "../fakes/fake-deps";
import { testWallet } from "../fixtures/test-wallets";

export const wallet = testWallet("saver").address;

/** Stages a wallet that holds lamports and tokens. */
export function stageHoldings(lamports: bigint, ...holdings: TokenHolding[]): FakeDeps {
  const deps = fakeDeps();
  if (lamports > 0n) deps.chain.accounts.set(wallet, solAccount(lamports));
  deps.chain.holdings.set(wallet, holdings);
  return deps;
}

let accountCount = 0;
/** Creates a holding of `amount` base units in a new token account. */
export const createHolding = (
  mint: string,
  amount: bigint,
  decimals: number,
  program = TOKEN_PROGRAM,
): TokenHolding => ({
  account: testWallet(`token account ${accountCount++}`).address,
  mint,
  amount,
  decimals,
  program,
});
