import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../solana/programs";
import { buildTokenAccountData, isEqualExceptAmount } from "../solana/token-accounts";
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
 * Returns whether an account can take USDC for `owner` and for nobody else: it belongs to the Token program, is
 * initialized and not frozen, and has no delegate and no foreign close authority.
 */
export const isUsdcAccountOf = (owner: string, account: Pick<AccountState, "owner" | "data"> | null | undefined) =>
  account?.owner === TOKEN_PROGRAM && isEqualExceptAmount(account.data, buildTokenAccountData(ASSETS.USDC.mint, owner));
