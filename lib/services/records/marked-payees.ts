import { findWraps } from "../../domain/activity";
import type { SignedMark } from "../../domain/marks";
import { findMarkedWrap } from "../../domain/spending/spending";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";
import type { SystemMovement } from "../../solana/system-instructions";
import { findServiceWallets } from "./service-wallets";

/*
 * Decides which payees a marked saving may have. The payer is the wallet that signs the mark and pays. The payee is the
 * wallet that gets the money.
 *
 * The problem: a payer can put a mark beside a transfer to any wallet. Such a mark would count payments as saved
 * although nothing went into a service wallet.
 * The invariant: a saving is sent only if its payee is a known service wallet.
 * How it is kept: the payee must be registered with this service, or a marked saving into it must have been built here
 * for the same payer.
 * Example: a marked saving from A into S is built here, and S is not registered. Execute accepts A's marked savings into
 * S. It refuses those of B until a marked saving from B into S is built here too.
 */

const { toKey: toMarkedPayeeKey, ttlMs: PAYEE_TTL_MS } = STORE_KEYS.markedPayee;

/** Records that a marked saving was built. Its payee then counts as a service wallet for this payer. */
export async function recordMarkedPayee({ kv }: Deps, payer: string, payee: string): Promise<void> {
  await kv.set(toMarkedPayeeKey(payer, payee), true, PAYEE_TTL_MS);
}

/** Lists the store keys that decide whether `findKnownMarkedWrap` accepts a payee. */
export const listPayeeKeys = (payer: string, payee: string): string[] => [
  STORE_KEYS.serviceWallet.toKey(payee),
  toMarkedPayeeKey(payer, payee),
];

/**
 * Finds the wrap that a transaction's only mark belongs to. Returns null if there is none into a known service wallet.
 * For a transaction that is not sent yet: on the chain, a mark counts if its signer also paid a fee collector.
 */
export async function findKnownMarkedWrap(deps: Deps, signedMark: SignedMark, movements: SystemMovement[]) {
  const { kv, feeCollectors } = deps;
  const payer = signedMark.wallet;
  const wraps = findWraps(movements, feeCollectors).filter(({ from }) => from === payer);
  const payees = wraps.map(({ to }) => to);
  if (payees.length === 0) return null;
  const [registeredWallets, markedPayeeRecords] = await Promise.all([
    findServiceWallets(deps, payees),
    kv.getMany<true>(payees.map((payee) => toMarkedPayeeKey(payer, payee))),
  ]);
  const markedPayees = payees.filter((_, i) => markedPayeeRecords[i] !== null);
  const knownWallets = new Set([...registeredWallets, ...markedPayees]);
  const isServiceWallet = (address: string) => knownWallets.has(address);
  return findMarkedWrap({ marks: [signedMark], movements }, { feeCollectors, isServiceWallet });
}
