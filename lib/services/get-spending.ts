import type { DataOf, InputOf } from "../contracts/define";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Deps } from "../ports";
import { collectSpending } from "./steps/spending";

export async function getSpending(
  deps: Deps,
  input: InputOf<typeof getSpendingContract>,
): Promise<DataOf<typeof getSpendingContract>> {
  return (await collectSpending(deps, input)).spending;
}
