import { createFieldError } from "../../errors";
import type { Caller } from "../../ports/request-context";

/**
 * Returns the caller's wallet, or the one that a static key names. Null for a static key that names none.
 * @throws AppError invalid_request if a caller with a wallet names another wallet
 */
export function resolveCallerWallet(named: string | undefined, caller: Caller): string | null {
  const wallet = caller.wallet ?? named ?? null;
  if (named === undefined || named === wallet) return wallet;
  throw createFieldError("wallet", "is not the wallet of these credentials");
}
