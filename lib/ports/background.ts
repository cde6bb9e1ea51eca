/** Runs work that outlives the request that began it, where the process itself stays alive. */
export interface Background {
  /**
   * Runs a task under its key, or joins the running one. The task calls `mayContinue` to learn whether it may outlive
   * the request. It may not when too many tasks already do, or when the process is ending.
   */
  run<T>(key: string, task: (mayContinue: () => boolean) => Promise<T>): Promise<T>;
  /** Resolves when the last task has ended. */
  close(): Promise<void>;
}
