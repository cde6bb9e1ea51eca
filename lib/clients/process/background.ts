import { AppError } from "../../errors";
import type { Background } from "../../ports/background";
import { backgroundTasks } from "./metrics";

/** The number of tasks that may outlive their requests at a time. A relay costs about one send a second. */
const MAX_OUTLIVING_TASKS = 100;

/** @param reportBug receives errors that are not AppErrors, because no request may be left to report them */
export function createBackground(reportBug: (error: unknown) => void): Background {
  const tasksByKey = new Map<string, Promise<unknown>>();
  const outlivingKeys = new Set<string>();
  let isClosing = false;
  const reservePlace = (key: string) => {
    if (isClosing || (outlivingKeys.size >= MAX_OUTLIVING_TASKS && !outlivingKeys.has(key))) return false;
    outlivingKeys.add(key);
    return true;
  };

  return {
    run<T>(key: string, task: (reserveOwnPlace: () => boolean) => Promise<T>) {
      const runningTask = tasksByKey.get(key) as Promise<T> | undefined;
      if (runningTask) return runningTask;
      const newTask = task(() => reservePlace(key));
      tasksByKey.set(key, newTask);
      // The key of a relay contains its signature. The key of any other task is two words.
      const labels = { kind: /^[a-z]+-[a-z]+$/.test(key) ? key : "relay" };
      backgroundTasks.inc(labels);
      newTask
        .catch((error) => {
          if (!(error instanceof AppError)) reportBug(error);
        })
        .finally(() => {
          backgroundTasks.dec(labels);
          tasksByKey.delete(key);
          outlivingKeys.delete(key);
        });
      return newTask;
    },
    async close() {
      isClosing = true;
      await Promise.allSettled(tasksByKey.values());
    },
  };
}
