/** What the SDK needs of the world it runs in, page, server or script alike. */

export interface Clock {
  /** Ms since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/**
 * Where it is remembered what was sent until its outcome is known, so that nothing is paid twice. It should outlive the
 * program. It holds no secrets.
 */
export interface Storage {
  get(key: string): string | null | Promise<string | null>;
  /** Null forgets. */
  set(key: string, value: string | null): void | Promise<void>;
}

/** Runs the task unless whoever shares the storage runs one of the same name. @returns whether it ran */
export type Lock = (name: string, task: () => Promise<void>) => Promise<boolean>;

/** What a program that says nothing else gets: the runtime's own clock and fetch; memory and lock of this process alone. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export const systemFetch: Fetch = (address, init) => fetch(address, init);

export function memoryStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get: (key) => kept.get(key) ?? null,
    set: (key, value) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  };
}

export function processLock(): Lock {
  const held = new Set<string>();
  return async (name, task) => {
    if (held.has(name)) return false;
    held.add(name);
    try {
      await task();
    } finally {
      held.delete(name);
    }
    return true;
  };
}
