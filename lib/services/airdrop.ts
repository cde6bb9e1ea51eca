import type { airdropContract } from "../contracts/airdrop";
import type { DataOf, InputOf } from "../contracts/define";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { solToLamports, toMicroUsd } from "../domain/money";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { findServiceWallets } from "./records/service-wallets";

export async function airdrop(
  deps: Deps,
  { address, sol, usdc = 0, history = false }: InputOf<typeof airdropContract>,
): Promise<DataOf<typeof airdropContract>> {
  const { faucet, rpc } = deps;
  if (!faucet) throw new AppError("not_found");
  // No service wallet or collector gets past payments, because callers do not prove that the address is theirs.
  const shouldAddHistory =
    history && !deps.feeCollectors.includes(address) && (await findServiceWallets(deps, [address])).size === 0;
  // The money comes last. A client that retries because the wallet is still empty then gets both, and neither twice.
  const pastPayments = shouldAddHistory ? await faucet.addPastPayments(address) : 0;
  if (usdc > 0) await faucet.airdropUsdc(address, toMicroUsd(usdc));
  const { txSignature } = await faucet.airdrop(address, solToLamports(sol));
  rpc.invalidate([address, deriveUsdcAccount(address)]);
  return { address, sol, usdc, txSignature, pastPayments };
}
