/** Waits for entries in the store. All waits of the process share one read of the store a second. */
export interface StoreWatch {
  /**
   * Resolves when the store has an entry under `key`, after `maxWaitMs`, or when the process is ending.
   * @param onRead called at each read of the store while this call is the longest waiting one
   * @throws AppError rate_limited, at once, when too many calls already wait
   */
  waitForEntry(key: string, maxWaitMs: number, onRead?: () => void): Promise<void>;
  /** Ends all waits. From then on, `waitForEntry` resolves at once. */
  close(): void;
}
