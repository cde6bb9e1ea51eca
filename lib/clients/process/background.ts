import { AppError } from "../../errors";
import type { Background } from "../../ports/background";
import { backgroundTasks } from "./metrics";

/**
 * The number of tasks that may outlive their requests at a time. A relay costs about one send a second and a share of
 * a poll.
 */
const MAX_TASKS = 100;

/**
 * Creates the runner of background tasks. @param report receives errors that are bugs, because no request may be left
 * to report them
 */
export function createBackground(report: (error: unknown) => void): Background {
  const tasks = new Map<string, Promise<unknown>>();
  /** Keys of the tasks that have outlived their requests. */
  const outliving = new Set<string>();
  let isClosing = false;
  const mayContinue = (key: string) => {
    if (isClosing || (outliving.size >= MAX_TASKS && !outliving.has(key))) return false;
    outliving.add(key);
    return true;
  };

  return {
    run<T>(key: string, task: (mayContinue: () => boolean) => Promise<T>) {
      const running = tasks.get(key) as Promise<T> | undefined;
      if (running) return running;
      const started = task(() => mayContinue(key));
      tasks.set(key, started);
      // The key of a relay contains its signature. The key of any other task is two words.
      const kind = { kind: /^[a-z]+-[a-z]+$/.test(key) ? key : "relay" };
      backgroundTasks.inc(kind);
      started
        .catch((error) => {
          if (!(error instanceof AppError)) report(error);
        })
        .finally(() => {
          backgroundTasks.dec(kind);
          tasks.delete(key);
          outliving.delete(key);
        });
      return started;
    },
    async close() {
      isClosing = true;
      await Promise.allSettled(tasks.values());
    },
  };
}
