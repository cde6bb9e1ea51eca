import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { StoreWatch } from "../../ports/store-watch";

const READ_EVERY_MS = 1_000;

interface Waiter {
  /** The key in the store, and the number that ends the wait. */
  key: string;
  minimum: number;
  endsAt: number;
  finish: () => void;
}

/** Creates the watch of a process. It reads nothing while no call waits. */
export function createStoreWatch({ kv, clock }: { kv: Pick<KvStore, "getMany">; clock: Clock }): StoreWatch {
  const waiters = new Set<Waiter>();
  let isReading = false;
  let isClosed = false;

  function endWaits(shouldEnd: (waiter: Waiter) => boolean): void {
    for (const waiter of [...waiters].filter(shouldEnd)) {
      waiters.delete(waiter);
      waiter.finish();
    }
  }

  async function readUntilIdle(): Promise<void> {
    isReading = true;
    while (waiters.size > 0) {
      await clock.sleep(READ_EVERY_MS);
      const keys = [...new Set([...waiters].map(({ key }) => key))];
      // While the store fails, the calls go on waiting. The next call of each caller reports the failure.
      const storedNumbers = await kv.getMany<number>(keys).catch(() => []);
      const numbers = new Map(keys.map((key, i) => [key, storedNumbers[i] ?? 0]));
      const now = clock.now();
      endWaits(({ key, minimum, endsAt }) => (numbers.get(key) ?? 0) >= minimum || endsAt <= now);
    }
    isReading = false;
  }

  return {
    waitForNumber(key, minimum, maxWaitMs) {
      if (isClosed) return Promise.resolve();
      return new Promise((finish) => {
        waiters.add({ key, minimum, endsAt: clock.now() + maxWaitMs, finish });
        if (!isReading) void readUntilIdle();
      });
    },
    close() {
      isClosed = true;
      endWaits(() => true);
    },
  };
}
