export type Observable<T> = ReturnType<typeof createObservable<T>>;

/** Holds a value, and calls its subscribers after each change. */
export function createObservable<T>(initial: T) {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next: T): void {
      value = next;
      for (const listener of listeners) listener();
    },
    /** @returns a function that ends the subscription */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
