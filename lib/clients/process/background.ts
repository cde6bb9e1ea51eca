import { AppError } from "../../errors";
import type { Background } from "../../ports/background";

/** Tasks that may outlive their requests at a time; a relay costs about a send a second and a share of a look. */
const MAX_TASKS = 100;

/** @param report told of failures that are our own bugs, since nobody may be left to be answered with them */
export function createBackground(report: (error: unknown) => void): Background {
  const tasks = new Map<string, Promise<unknown>>();
  /** Those that have outlived their requests. */
  const goingOn = new Set<string>();
  let closing = false;
  const mayGoOn = (key: string) => {
    if (closing || (goingOn.size >= MAX_TASKS && !goingOn.has(key))) return false;
    goingOn.add(key);
    return true;
  };

  return {
    run<T>(key: string, task: (mayGoOn: () => boolean) => Promise<T>) {
      const running = tasks.get(key) as Promise<T> | undefined;
      if (running) return running;
      const started = task(() => mayGoOn(key));
      tasks.set(key, started);
      started
        .catch((error) => {
          if (!(error instanceof AppError)) report(error);
        })
        .finally(() => {
          tasks.delete(key);
          goingOn.delete(key);
        });
      return started;
    },
    async close() {
      closing = true;
      await Promise.allSettled(tasks.values());
    },
  };
}
