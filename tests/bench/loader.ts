import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadJob, LoadResult } from "./load-job";

export interface Loader {
  /** Runs a job. @throws Error when an answer is missing or not a 2xx, because the measurement is then invalid */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
}

/** Starts the process that generates the load. */
export function startLoader(): Loader {
  const child = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)), { execArgv: ["--import", "tsx"] });
  const exitError = once(child, "exit").then(() => {
    throw new Error("the load process ended before it answered");
  });
  // Prevent an unhandled rejection. Callers that wait for a result still receive the error.
  exitError.catch(() => {});
  return {
    async run(job) {
      child.send(job);
      const [result] = (await Promise.race([once(child, "message"), exitError])) as [LoadResult];
      const { successCount, failureCount, failures } = result;
      if (failureCount > 0 || successCount === 0) {
        throw new Error(
          `${job.requests[0]?.path}: ${failureCount} of ${successCount + failureCount} requests failed (${failures})`,
        );
      }
      return result;
    },
    stop: () => child.kill(),
  };
}
