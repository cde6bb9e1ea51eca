/** Work that outlives the request that began it, where the process lives on. */
export interface Background {
  /**
   * Runs a task under its key, or joins the one that runs. The task asks `mayGoOn` whether it may outlive the request:
   * not when too many do already, nor when the process ends.
   */
  run<T>(key: string, task: (mayGoOn: () => boolean) => Promise<T>): Promise<T>;
  /** Resolves when the last task has ended. */
  close(): Promise<void>;
}
