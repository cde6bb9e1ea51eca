/** Waits for numbers in the store. All waits of the process share a single read of the store each second. */
export interface StoreWatch {
  /**
   * Resolves when the number under `key` is `minimum` or more, after `maxWaitMs`, or when the process is ending. A failing
   * store does not end the wait.
   */
  waitForNumber(key: string, minimum: number, maxWaitMs: number): Promise<void>;
  /** Ends all waits. From then on, `waitForNumber` resolves at once. */
  close(): void;
}
