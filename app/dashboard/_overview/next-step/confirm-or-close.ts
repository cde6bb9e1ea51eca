import type { Flow } from "@/lib/sdk/flow/engine";
import type { BuildResult } from "@/lib/sdk/flow/types";

type ReviewedFlow = Pick<Flow<unknown, BuildResult, unknown>, "getState" | "confirm" | "close">;

/**
 * Signs the build under review automatically, once. Closes the review when the switch is off or the wallet did
 * not sign the build. The next attempt starts again with its notice.
 * @param confirmedBuild the last build that was confirmed
 * @returns the build that counts as confirmed from now on
 */
export function confirmOrClose(flow: ReviewedFlow, isOn: boolean, confirmedBuild: unknown): unknown {
  const { phase, build, doubts } = flow.getState();
  if (phase !== "review") return confirmedBuild;
  // A doubtful price needs a person's confirmation, and nobody watches an automatic investment.
  if (!isOn || confirmedBuild === build || doubts.length > 0) {
    flow.close();
    return confirmedBuild;
  }
  void flow.confirm();
  return build;
}
