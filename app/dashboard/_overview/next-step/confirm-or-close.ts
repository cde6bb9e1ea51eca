import type { Flow } from "@/lib/sdk/flow/engine";
import type { BuildResult } from "@/lib/sdk/flow/types";

/**
 * Signs what is up for review, unasked, once. Turned off meanwhile, or not signed, it is closed: the next time begins anew,
 * with its notice.
 * @param confirmed the build that was confirmed last
 * @returns the one that is by now
 */
export function confirmOrClose<R, B extends BuildResult, D>(
  flow: Flow<R, B, D>,
  on: boolean,
  confirmed: unknown,
): unknown {
  const { phase, build, doubts } = flow.state();
  if (phase !== "review") return confirmed;
  // A price in doubt needs a person, and no person looks at an investment that runs by itself.
  if (!on || confirmed === build || doubts.length > 0) {
    flow.close();
    return confirmed;
  }
  void flow.confirm();
  return build;
}
