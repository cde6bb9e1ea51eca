import type { DataOf, InputOf } from "../contracts/define";
import type { getAllowanceContract } from "../contracts/get-allowance";
import { fromMicroUsd } from "../domain/money";
import type { Deps } from "../ports/deps";
import { readAllowance } from "./steps/saving/allowance";

export async function getAllowance(
  deps: Deps,
  { address, serviceWallet }: InputOf<typeof getAllowanceContract>,
): Promise<DataOf<typeof getAllowanceContract>> {
  const { delegate, amount } = await readAllowance(deps, address);
  const isServiceWallet = delegate === serviceWallet;
  return {
    walletAddress: address,
    network: deps.network,
    delegate,
    isServiceWallet,
    remainingUsd: isServiceWallet ? fromMicroUsd(amount) : 0,
  };
}
