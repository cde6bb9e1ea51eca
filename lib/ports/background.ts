/** Runs work that outlives the request that began it, where the process itself stays alive. */
export interface Background {
  /**
   * Runs a task under its key, or joins the running task of this key. A task that outlives its request must call
   * `reservePlace` first, which returns false when too many tasks outlive their requests or the process is ending.
   */
  run<T>(key: string, task: (reservePlace: () => boolean) => Promise<T>): Promise<T>;
  /** Grants no more places. Resolves when all running tasks have ended. */
  close(): Promise<void>;
}
