import type { airdropContract } from "../contracts/airdrop";
import type { DataOf, InputOf } from "../contracts/define";
import { solToLamports } from "../domain/money";
import { AppError } from "../errors";
import type { Deps } from "../ports";

export async function airdrop(
  { faucet, rpc }: Deps,
  { address, sol, history = false }: InputOf<typeof airdropContract>,
): Promise<DataOf<typeof airdropContract>> {
  if (!faucet) throw new AppError("not_found");
  const { txSignature } = await faucet.airdrop(address, solToLamports(sol));
  const pastPayments = history ? await faucet.addHistory(address) : 0;
  rpc.invalidate([address]);
  return { address, sol, txSignature, pastPayments };
}
