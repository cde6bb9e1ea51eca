import type { Flow } from "@/lib/sdk/flow/engine";
import type { BuildResult } from "@/lib/sdk/flow/types";

type ReviewedFlow = Pick<Flow<unknown, BuildResult, unknown>, "getState" | "confirm" | "close">;

/**
 * Confirms the build under review, at most once per build. Closes the review if auto-invest is off, a price is doubtful,
 * or this build was confirmed before but not signed. Does nothing outside a review.
 * @param lastConfirmedBuild the last build that was confirmed
 * @returns the build that counts as confirmed from now on
 */
export function confirmOrClose(flow: ReviewedFlow, isAutoInvestOn: boolean, lastConfirmedBuild: unknown): unknown {
  const { phase, build, doubts } = flow.getState();
  if (phase !== "review") return lastConfirmedBuild;
  // A doubtful price needs a person's confirmation, and nobody watches an automatic investment.
  if (!isAutoInvestOn || lastConfirmedBuild === build || doubts.length > 0) {
    flow.close();
    return lastConfirmedBuild;
  }
  void flow.confirm();
  return build;
}
