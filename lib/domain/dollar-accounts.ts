import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../solana/programs";
import { readTokenAccount, readTokenMint } from "../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../solana/token-instructions";
import { ASSETS, OTHER_DOLLARS } from "./assets";
import type { AccountState } from "./chain-accounts";

/** Returns the addresses of a wallet's associated token accounts for all dollar tokens. They need not exist. */
export const deriveDollarAccounts = (wallet: string): string[] => [
  ...[ASSETS.USDC, ASSETS.USDT].map(({ mint }) => deriveAssociatedTokenAddress(wallet, mint)),
  ...Object.values(OTHER_DOLLARS).map(({ mint }) => deriveAssociatedTokenAddress(wallet, mint, TOKEN_2022_PROGRAM)),
];

/** Returns the address of a wallet's associated USDC account, which need not exist. */
export const deriveUsdcAccount = (wallet: string): string => deriveAssociatedTokenAddress(wallet, ASSETS.USDC.mint);

/**
 * Returns whether an account can take USDC for `owner`: a USDC account of the Token program that is not frozen. An
 * account that is not initialized has no owner.
 */
export function isUsdcAccountOf(
  owner: string,
  account: Pick<AccountState, "owner" | "data"> | null | undefined,
): boolean {
  if (account?.owner !== TOKEN_PROGRAM || readTokenMint(account.data) !== ASSETS.USDC.mint) return false;
  const token = readTokenAccount(account.data);
  return token?.owner === owner && !token.isFrozen;
}
