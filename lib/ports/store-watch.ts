/** Waits for entries in the store. All waits of the process share a single read of the store each second. */
export interface StoreWatch {
  /**
   * Resolves when the store has an entry under `key`, after `maxWaitMs`, or when the process is ending. A failing store
   * does not end the wait.
   * @param beforeRead work to do before each read of the store; only the call that has waited longest does its own
   */
  waitForEntry(key: string, maxWaitMs: number, beforeRead?: () => void): Promise<void>;
  /** Ends all waits. From then on, `waitForEntry` resolves at once. */
  close(): void;
}
