import type { DataOf, InputOf } from "../contracts/define";
import type { findServiceWalletsContract } from "../contracts/find-service-wallets";
import { createThroughMark, NOTHING_SAVED } from "../domain/marks";
import { findWraps } from "../domain/wraps";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { listPaidServiceWallets } from "./records/service-wallets";
import { requireCallerWallet } from "./steps/caller-wallet";
import { createLagError } from "./steps/relay/outcomes";
import { findSaved, readStoredStanding } from "./steps/saving/next-saving";

/** Returns the service wallets into which a wallet has saved: from the chain, and from the store. */
export async function findServiceWallets(
  deps: Deps,
  input: InputOf<typeof findServiceWalletsContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof findServiceWalletsContract>> {
  const wallet = requireCallerWallet(input.wallet, caller);
  const signedMark = { wallet, mark: createThroughMark("", NOTHING_SAVED) };
  const [recorded, { saved, isComplete }] = await Promise.all([
    listPaidServiceWallets(deps, wallet),
    readStoredStanding(deps, signedMark).then((standing) => findSaved(deps, signedMark, standing)),
  ]);
  const paid = saved?.txSignature === undefined ? [] : await readPayees(deps, wallet, saved.txSignature);
  const serviceWallets = [...new Set([...recorded, ...paid])];
  return { walletAddress: wallet, network: deps.network, serviceWallets, isComplete };
}

/** Reads the payees of a saving. @throws AppError upstream_unavailable when no node returns it */
async function readPayees(deps: Deps, wallet: string, txSignature: string): Promise<string[]> {
  const figures = await deps.rpc.readTransaction(txSignature);
  if (figures === null) throw createLagError();
  if (figures === "unsupported") return [];
  return findWraps(figures.movements, deps.feeCollectors).flatMap(({ from, to }) => (from === wallet ? to : []));
}
