/** The wait after each failed download. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Returns a loader that retries `load` when the download of code or data fails. While the browser is offline, the
 * loader waits. Without a retry, one failed download would replace the whole page with error.tsx.
 * @throws the last error after six failures, for example when a new release has removed the file
 */
export function retryLoad<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (const delayMs of RETRY_DELAYS_MS) {
      try {
        return await load();
      } catch {
        await (navigator.onLine ? waitFor(delayMs) : waitUntilOnline());
      }
    }
    return load();
  };
}

const waitFor = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

const waitUntilOnline = () => new Promise((resolve) => window.addEventListener("online", resolve, { once: true }));
