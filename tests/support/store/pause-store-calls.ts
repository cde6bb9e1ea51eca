import type { KvStore } from "../../../lib/ports/kv-store";

/** Wraps a store so that each of its calls waits until the test allows it. */
export function pauseStoreCalls(kv: KvStore) {
  let allowedCalls = 0;
  const waitingCalls: (() => void)[] = [];
  const waitForTurn = () => {
    if (allowedCalls === 0) return new Promise<void>((resolve) => waitingCalls.push(resolve));
    allowedCalls--;
    return undefined;
  };
  return {
    kv: new Proxy(kv, {
      get(target, method: string) {
        const member = Reflect.get(target, method) as (...args: unknown[]) => unknown;
        return async (...args: unknown[]) => {
          await waitForTurn();
          return member(...args);
        };
      },
    }),
    /** Permits this many further store calls before the operation pauses. */
    allow(calls: number) {
      allowedCalls = Math.max(allowedCalls, calls);
      for (; allowedCalls > 0 && waitingCalls.length > 0; allowedCalls--) waitingCalls.shift()!();
    },
  };
}
