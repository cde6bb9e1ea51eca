import type { Lock } from "@/lib/sdk/world";

/**
 * Runs a task under a lock shared by all tabs of this browser. On an insecure origin the Web Locks API is missing and
 * the task runs without a lock.
 */
export const withLock: Lock = async (name, task) => {
  if (!navigator.locks) {
    await task();
    return true;
  }
  return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await task();
    return lock !== null;
  });
};
