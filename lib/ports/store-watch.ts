/** Waits for entries in the store. All waits of the process share a single read of the store each second. */
export interface StoreWatch {
  /**
   * Resolves when the store has an entry under `key`, after `maxWaitMs`, or when the process is ending. A failing store
   * does not end the wait.
   */
  waitForEntry(key: string, maxWaitMs: number): Promise<void>;
  /** Ends all waits. From then on, `waitForEntry` resolves at once. */
  close(): void;
}
