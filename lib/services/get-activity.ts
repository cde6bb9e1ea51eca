import type { DataOf, InputOf } from "../contracts/define";
import type { getActivityContract } from "../contracts/get-activity";
import type { Deps } from "../ports/deps";
import { readActivity } from "./steps/reads/read-activity";

/** Returns one page of a wallet's activity. @throws AppError upstream_* */
export async function getActivity(
  deps: Deps,
  input: InputOf<typeof getActivityContract>,
): Promise<DataOf<typeof getActivityContract>> {
  return readActivity(deps, input);
}
