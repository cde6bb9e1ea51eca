import { join } from "node:path";
import { createSystemProcesses, readHolder, takeLock } from "../process-lock";

/** Interval at which the holder renews the lock, and the silence after which another process takes it over, ms. */
const LOCK_TIMES = { touchEveryMs: 2_000, maxSilenceMs: 15_000 };

/**
 * Locks the directory for this process. It holds the operator's wallet. LMDB would also let two processes write one
 * chain, each from its own accounts in memory.
 * @returns a function that releases the lock
 * @throws {Error} with a sentence when another living process holds the lock
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, "sandbox.lock");
  const processes = createSystemProcesses();
  const release = takeLock(path, LOCK_TIMES, processes);
  if (release) return release;
  const holder = readHolder(path);
  const holderName =
    holder?.host === processes.self.host
      ? `process ${holder.pid}`
      : `a process of another container, or was within the last ${LOCK_TIMES.maxSilenceMs / 1000} seconds`;
  throw new Error(
    `The sandbox data in ${directory} is in use by ${holderName}. Stop that sandbox or use another data directory.`,
  );
}
