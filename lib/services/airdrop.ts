import type { airdropContract } from "../contracts/airdrop";
import type { DataOf, InputOf } from "../contracts/define";
import { solToLamports } from "../domain/money";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { findServiceWallets } from "./steps/service-wallets";

/** Sends play money and, on request, adds a history of shop payments. @throws AppError not_found outside the sandbox */
export async function airdrop(
  deps: Deps,
  { address, sol, history = false }: InputOf<typeof airdropContract>,
): Promise<DataOf<typeof airdropContract>> {
  const { faucet, rpc } = deps;
  if (!faucet) throw new AppError("not_found");
  const { txSignature } = await faucet.airdrop(address, solToLamports(sol));
  // No service wallet or collector gets past payments, because callers do not prove that the address is theirs.
  const shouldAddHistory =
    history && !deps.feeCollectors.includes(address) && (await findServiceWallets(deps, [address])).size === 0;
  const pastPayments = shouldAddHistory ? await faucet.addPastPayments(address) : 0;
  rpc.invalidate([address]);
  return { address, sol, txSignature, pastPayments };
}
