import type { InputOf } from "../contracts/define";
import type { getActivityContract } from "../contracts/get-activity";
import type { Deps } from "../ports/deps";
import { readActivity } from "./steps/reads/read-activity";

export async function getActivity(deps: Deps, input: InputOf<typeof getActivityContract>) {
  return readActivity(deps, input);
}
