import type { InputOf } from "../contracts/define";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Deps } from "../ports/deps";
import { collectSpending } from "./steps/spending/collect-spending";

export async function getSpending(deps: Deps, input: InputOf<typeof getSpendingContract>) {
  return collectSpending(deps, input);
}
