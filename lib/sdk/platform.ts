/* The clock, network, storage and lock that the SDK needs from a page, a server or a script. */

export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** The part of the standard `fetch` that the SDK needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Stores each sent transaction until its outcome is known, so that a retry never pays twice. The storage should outlive
 * the program. It holds no secrets.
 */
export interface Storage {
  /** Returns the value; null when the key is absent. */
  get(key: string): string | null | Promise<string | null>;
  /** Stores a value; null deletes the key. */
  set(key: string, value: string | null): void | Promise<void>;
}

/** Runs the task unless a program with the same storage holds the lock of this name. Returns whether the task ran. */
export type Lock = (name: string, task: () => Promise<void>) => Promise<boolean>;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export const systemFetch: Fetch = (url, init) => fetch(url, init);

/** Creates a storage in process memory, which is lost on exit. */
export function createMemoryStorage(): Storage {
  const entries = new Map<string, string>();
  return {
    get: (key) => entries.get(key) ?? null,
    set: (key, value) => void (value === null ? entries.delete(key) : entries.set(key, value)),
  };
}

export function createProcessLock(): Lock {
  const heldNames = new Set<string>();
  return async (name, task) => {
    if (heldNames.has(name)) return false;
    heldNames.add(name);
    try {
      await task();
    } finally {
      heldNames.delete(name);
    }
    return true;
  };
}

/** Waits for a promise, but rejects with the signal's reason as soon as the signal aborts. */
export function rejectOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
  });
}
