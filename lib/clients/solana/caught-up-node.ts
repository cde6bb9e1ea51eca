import { untilCaughtUp } from "../../domain/catch-up";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";

/**
 * Repeats a call with `minContextSlot` while the nodes that answer have not reached that slot.
 * @throws AppError upstream_*; upstream_unavailable also when no node has reached it
 */
export async function callCaughtUpNode<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  let lagError: unknown;
  const callOnce = () =>
    call().then(
      (answer) => ({ answer }),
      (error) => {
        const isLag = error instanceof AppError && error.code === "upstream_unavailable";
        if (!isLag || error.details.retryAfterSeconds !== undefined) throw error;
        lagError = error;
        return null;
      },
    );
  const result = await untilCaughtUp(clock, callOnce, Boolean);
  if (!result) throw lagError;
  return result.answer;
}
