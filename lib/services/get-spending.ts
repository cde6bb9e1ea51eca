import type { DataOf, InputOf } from "../contracts/define";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Deps, RequestContext } from "../ports";
import { collectSpending } from "./steps/spending/collect-spending";

export async function getSpending(
  deps: Deps,
  input: InputOf<typeof getSpendingContract>,
  context?: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof getSpendingContract>> {
  return collectSpending(deps, input, context?.caller.wallet ?? null);
}
