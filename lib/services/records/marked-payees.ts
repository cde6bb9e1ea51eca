import type { SignedMark } from "../../domain/marks";
import { type Movement, readMoney } from "../../domain/movements";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";
import { findServiceWallets } from "./service-wallets";

/*
 * Decides which payees a marked saving may have. Otherwise a payer could put a mark beside a transfer to any wallet, and
 * payments would count as saved although nothing went into a service wallet. The payee must be registered with this
 * service, or a marked saving into it must have been built here for the same payer.
 */

const { toKey: toMarkedPayeeKey, ttlMs: PAYEE_TTL_MS } = STORE_KEYS.markedPayee;

/** Records that a marked saving was built. Its payee then counts as a service wallet for this payer. */
export async function recordMarkedPayee({ kv }: Deps, payer: string, payee: string): Promise<void> {
  await kv.set(toMarkedPayeeKey(payer, payee), true, PAYEE_TTL_MS);
}

/**
 * Returns whether the wallet of a mark pays a known service wallet in the same transaction, whatever the order of its
 * instructions. For a transaction that is not sent yet: on the chain, a mark counts if its signer also paid a fee collector.
 */
export async function paysServiceWallet(deps: Deps, { wallet }: SignedMark, movements: Movement[]) {
  const { kv, feeCollectors } = deps;
  const payments = movements.filter(
    (movement) => movement.from === wallet && movement.to !== wallet && (readMoney(movement) ?? 0n) > 0n,
  );
  const payees = [...new Set(payments.map(({ to }) => to))].filter((to) => !feeCollectors.includes(to));
  if (payees.length === 0) return false;
  const [registeredWallets, markedPayeeRecords] = await Promise.all([
    findServiceWallets(deps, payees),
    kv.getMany<true>(payees.map((payee) => toMarkedPayeeKey(wallet, payee))),
  ]);
  return payees.some((payee, i) => registeredWallets.has(payee) || markedPayeeRecords[i] !== null);
}
