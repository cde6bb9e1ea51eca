import type { TransactionFigures } from "../../../domain/activity";
import { wrapsIn } from "../../../domain/activity";
import { type MarkedWrap, markedWrapIn } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { knownServiceWallets } from "../service-wallets";

/** As long as what was built may be put into a transaction. */
const KEPT_MS = 30 * 86_400_000;

const builtKey = (wallet: string, into: string) => `marked-into:${wallet}:${into}`;

/** A service wallet need not be derived through this service: what is built for it here counts, for this payer alone. */
export async function rememberMarked({ kv }: Deps, wallet: string, into: string): Promise<void> {
  await kv.set(builtKey(wallet, into), true, KEPT_MS);
}

/**
 * Returns the round-up that a transaction with a mark must be before it is sent: see markedWrapIn. A service wallet is what
 * derive returned, or what a wrap with a mark was built into here. Once it has landed, any mark that pays a collector counts.
 */
export async function markedWrap(
  deps: Deps,
  figures: Pick<TransactionFigures, "marks" | "movements">,
): Promise<MarkedWrap | null> {
  const { kv, feeCollectors } = deps;
  const [signed] = figures.marks;
  if (!signed) return null;
  const wraps = wrapsIn(figures.movements, feeCollectors).filter(({ from }) => from === signed.wallet);
  const payees = wraps.map(({ to }) => to);
  if (payees.length === 0) return null;
  const [derived, built] = await Promise.all([
    knownServiceWallets(deps, payees),
    kv.getMany<true>(payees.map((to) => builtKey(signed.wallet, to))),
  ]);
  const known = new Set([...derived, ...payees.filter((_, i) => built[i])]);
  return markedWrapIn(figures, { feeCollectors, isServiceWallet: (address) => known.has(address) });
}
