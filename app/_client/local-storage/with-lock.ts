import type { Lock } from "@/lib/sdk/world";

/** Shared by all tabs of this browser; without locks (an insecure origin), each tab is on its own. */
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
