import { AppError, createFieldError } from "../../errors";
import type { Caller } from "../../ports/request-context";

/**
 * Returns the caller's wallet, or the wallet that a request with a static key names. Returns null if such a request
 * names none.
 * @throws AppError invalid_request if a caller with a wallet names another wallet
 */
export function resolveCallerWallet(namedWallet: string | undefined, caller: Caller): string | null {
  const wallet = caller.wallet ?? namedWallet ?? null;
  if (namedWallet === undefined || namedWallet === wallet) return wallet;
  throw createFieldError("wallet", "is not the wallet of these credentials");
}

/** Returns the wallet as `resolveCallerWallet` does. @throws AppError wallet_required if there is none */
export function requireCallerWallet(namedWallet: string | undefined, caller: Caller): string {
  const wallet = resolveCallerWallet(namedWallet, caller);
  if (wallet !== null) return wallet;
  const message = "A static key belongs to no wallet: name the wallet as `?wallet=`.";
  throw new AppError("wallet_required", { message });
}
