/** The clock, network, storage and lock that the SDK needs from a page, a server or a script. */

export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/**
 * Stores each sent transaction until its outcome is known, so that a retry never pays twice. It should outlive the
 * program. It holds no secrets.
 */
export interface Storage {
  get(key: string): string | null | Promise<string | null>;
  /** Stores a value; null deletes the key. */
  set(key: string, value: string | null): void | Promise<void>;
}

/** Runs the task unless a program with the same storage holds the lock of this name. Returns whether the task ran. */
export type Lock = (name: string, task: () => Promise<void>) => Promise<boolean>;

/** The defaults: the runtime's clock and fetch, and a storage and a lock that only this process sees. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export const systemFetch: Fetch = (address, init) => fetch(address, init);

export function memoryStorage(): Storage {
  const entries = new Map<string, string>();
  return {
    get: (key) => entries.get(key) ?? null,
    set: (key, value) => void (value === null ? entries.delete(key) : entries.set(key, value)),
  };
}

export function processLock(): Lock {
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
