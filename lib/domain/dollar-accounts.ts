import { TOKEN_2022_PROGRAM } from "../solana/programs";
import { deriveAssociatedTokenAddress } from "../solana/token-instructions";
import { ASSETS, OTHER_DOLLARS } from "./assets";

/** Returns the addresses of a wallet's associated token accounts for all dollar tokens. They need not exist. */
export const deriveDollarAccounts = (wallet: string): string[] => [
  ...[ASSETS.USDC, ASSETS.USDT].map(({ mint }) => deriveAssociatedTokenAddress(wallet, mint)),
  ...Object.values(OTHER_DOLLARS).map(({ mint }) => deriveAssociatedTokenAddress(wallet, mint, TOKEN_2022_PROGRAM)),
];
