/** What was read of a wallet's history, kept in this browser: it never changes, and is read a page at a time. It is as public as the chain. */

const PREFIX = "roundup-history:";
/** Each takes some 100 kB, at most some 500, of the few MB a page may keep. */
const MOST_WALLETS = 3;

export function readStoredHistory(address: string): string | null {
  return localStorage.getItem(PREFIX + address);
}

export function storeHistory(address: string, text: string): void {
  const own = PREFIX + address;
  const others = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== own);
  for (const key of others.slice(MOST_WALLETS - 1)) localStorage.removeItem(key);
  try {
    localStorage.setItem(own, text);
  } catch {
    // No room is left for it: it is read again the next time.
    localStorage.removeItem(own);
  }
}
