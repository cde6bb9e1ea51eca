import type { Flow } from "@/lib/sdk/flow/engine";
import type { BuildResult } from "@/lib/sdk/flow/types";

type ReviewedFlow = Pick<Flow<unknown, BuildResult, unknown>, "getState" | "confirm" | "close">;

/**
 * Signs the build under review automatically, once. Closes the review when the switch was turned off or the build was
 * not signed; the next attempt starts again with its notice.
 * @param confirmed the last build that was confirmed
 * @returns the build that counts as confirmed from now on
 */
export function confirmOrClose(flow: ReviewedFlow, on: boolean, confirmed: unknown): unknown {
  const { phase, build, doubts } = flow.getState();
  if (phase !== "review") return confirmed;
  // A doubtful price needs a person's confirmation, and nobody watches an automatic investment.
  if (!on || confirmed === build || doubts.length > 0) {
    flow.close();
    return confirmed;
  }
  void flow.confirm();
  return build;
}
