import type { DataOf, InputOf } from "../contracts/define";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Deps } from "../ports";
import { readSpending } from "./steps/spending";

export async function getSpending(
  deps: Deps,
  input: InputOf<typeof getSpendingContract>,
): Promise<DataOf<typeof getSpendingContract>> {
  return readSpending(deps, input);
}
