/** After each failure. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** Retries a failed download, which would otherwise replace the page with error.tsx. @throws the last error of six */
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
