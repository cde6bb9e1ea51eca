export type Observable<Value> = ReturnType<typeof createObservable<Value>>;

export function createObservable<Value>(initialValue: Value) {
  const listeners = new Set<() => void>();
  let value = initialValue;
  return {
    get: () => value,
    set(newValue: Value): void {
      value = newValue;
      for (const listener of listeners) listener();
    },
    /** @returns a function that ends the subscription */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
