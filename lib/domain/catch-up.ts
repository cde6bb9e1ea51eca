/** Maximum number of reads before lagging nodes count as a failure. By then another node usually answers. */
const MAX_READS = 3;
/** Pause before the next read, ms. A node is mostly a slot or two behind, so it catches up in the pause. */
const RETRY_MS = 400;

/**
 * Reads again while the answering node lags, MAX_READS times at most.
 * @param hasCaughtUp returns whether the answer may be used
 * @returns the first such answer; null when every answering node lags
 */
export async function untilCaughtUp<T>(
  clock: { sleep(ms: number): Promise<void> },
  read: () => Promise<T>,
  hasCaughtUp: (answer: T) => boolean,
): Promise<T | null> {
  for (let readCount = 1; ; readCount++) {
    const answer = await read();
    if (hasCaughtUp(answer)) return answer;
    if (readCount === MAX_READS) return null;
    await clock.sleep(RETRY_MS);
  }
}
