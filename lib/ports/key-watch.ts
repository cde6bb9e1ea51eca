/** Waits for store keys. All waits of the process share one read of the store a second. */
export interface KeyWatch {
  /**
   * Resolves when the store has an entry under `key`, after `ms`, or when the process is ending.
   * @param meanwhile called once a second by one of the waiting calls
   * @throws AppError rate_limited, before it waits, while too many calls wait
   */
  wait(key: string, ms: number, meanwhile?: () => void): Promise<void>;
  /** Ends all waits. From then on, `wait` resolves at once. */
  close(): void;
}
