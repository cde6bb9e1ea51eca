import { findWraps, type TransactionFigures } from "../../../domain/activity";
import { findMarkedWrap, type MarkedWrap } from "../../../domain/spending/spending";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import { findServiceWallets, toServiceWalletKey } from "../service-wallets";

/*
 * Decides which payees a marked saving may have.
 *
 * The problem: a wallet can put a mark beside a transfer to an unrelated wallet. Such a mark would count payments as
 * saved although nothing went into a service wallet.
 * The invariant: before it is sent, a mark is accepted only beside a round-up into a known service wallet.
 * How it is kept: the payee must have been derived by this service, or a marked wrap into it must have been built here
 * for the same payer.
 * Example: A builds a marked wrap into S, a wallet that this service did not derive. Execute accepts A's marks beside
 * transfers into S. It refuses B's mark beside a transfer into S until B builds a wrap into S too.
 */

/** 30 days: an app may put built transfers into its own transaction as late as that. */
const PAYEE_TTL_MS = 30 * DAY_MS;

const toMarkedPayeeKey = (wallet: string, payee: string) => `marked-into:${wallet}:${payee}`;

/**
 * Records that a marked wrap was built into a wallet. The wallet then counts as a service wallet for this payer, even
 * if this service did not derive it.
 */
export async function recordMarkedPayee({ kv }: Deps, wallet: string, payee: string): Promise<void> {
  await kv.set(toMarkedPayeeKey(wallet, payee), true, PAYEE_TTL_MS);
}

/** Lists the store keys that `findKnownMarkedWrap` reads to accept a payee. */
export const listPayeeKeys = (wallet: string, payee: string): string[] => [
  toServiceWalletKey(payee),
  toMarkedPayeeKey(wallet, payee),
];

/**
 * Finds the round-up that the transaction's mark belongs to. Returns null if there is none (see findMarkedWrap).
 * Applies before sending only: on the chain, a mark counts beside any wrap that pays a fee collector.
 */
export async function findKnownMarkedWrap(
  deps: Deps,
  figures: Pick<TransactionFigures, "marks" | "movements">,
): Promise<MarkedWrap | null> {
  const { kv, feeCollectors } = deps;
  const [signedMark] = figures.marks;
  if (!signedMark) return null;
  const wraps = findWraps(figures.movements, feeCollectors).filter(({ from }) => from === signedMark.wallet);
  const payees = wraps.map(({ to }) => to);
  if (payees.length === 0) return null;
  const [derivedWallets, builtFlags] = await Promise.all([
    findServiceWallets(deps, payees),
    kv.getMany<true>(payees.map((to) => toMarkedPayeeKey(signedMark.wallet, to))),
  ]);
  const knownWallets = new Set([...derivedWallets, ...payees.filter((_, i) => builtFlags[i])]);
  return findMarkedWrap(figures, { feeCollectors, isServiceWallet: (address) => knownWallets.has(address) });
}
