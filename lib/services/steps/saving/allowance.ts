import { ASSETS } from "../../../domain/assets";
import type { AccountState } from "../../../domain/chain-accounts";
import { deriveUsdcAccount } from "../../../domain/dollar-accounts";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { TOKEN_PROGRAM } from "../../../solana/programs";
import { readDelegate, readTokenAccount, readTokenMint, TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";

interface Allowance {
  delegate: string | null;
  /** What the delegate may still take, base units. */
  amount: bigint;
}

const NO_ALLOWANCE: Allowance = { delegate: null, amount: 0n };

/** Reads a wallet's associated USDC account. Returns null if it does not exist or belongs to another wallet by now. */
function readOwnUsdcAccount(wallet: string, account: AccountState | null) {
  const state = account?.owner === TOKEN_PROGRAM ? readTokenAccount(account.data) : null;
  if (!account || state?.owner !== wallet || readTokenMint(account.data) !== ASSETS.USDC.mint) return null;
  return { isFrozen: state.isFrozen, ...(readDelegate(account.data) ?? NO_ALLOWANCE) };
}

/**
 * Reads who may take USDC from a wallet's account.
 * @throws AppError usdc_account_unusable if the wallet has no account, or a frozen one, which takes no changes
 */
export function requireOwnUsdcAccount(wallet: string, account: AccountState | null): Allowance {
  const ownAccount = readOwnUsdcAccount(wallet, account);
  if (!ownAccount) throw new AppError("usdc_account_unusable");
  if (ownAccount.isFrozen) throw new AppError("usdc_account_unusable", { message: FROZEN_TEXT });
  return ownAccount;
}

const FROZEN_TEXT =
  "The issuer of USDC has frozen this wallet's account. Nobody can move its USDC or change its delegate.";

export async function readAllowance({ rpc }: Deps, wallet: string): Promise<Allowance> {
  const [account] = await rpc.readAccounts([deriveUsdcAccount(wallet)], { firstBytes: TOKEN_ACCOUNT_BYTES });
  return readOwnUsdcAccount(wallet, account ?? null) ?? NO_ALLOWANCE;
}
