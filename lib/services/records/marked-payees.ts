import { findWraps } from "../../domain/activity";
import type { SignedMark } from "../../domain/marks";
import { findMarkedWrap } from "../../domain/spending/spending";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";
import type { SystemMovement } from "../../solana/system-instructions";
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
