import type { DataOf, InputOf } from "../contracts/define";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Deps } from "../ports/deps";
import { collectSpending } from "./steps/spending/collect-spending";

/** Returns a wallet's unsaved payments. @throws AppError upstream_* */
export async function getSpending(
  deps: Deps,
  input: InputOf<typeof getSpendingContract>,
): Promise<DataOf<typeof getSpendingContract>> {
  return collectSpending(deps, input);
}
