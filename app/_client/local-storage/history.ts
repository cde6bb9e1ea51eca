/**
 * Stores the part of each wallet's history that this browser has read. Landed transactions never change, so a reload
 * does not need to page through them again. The data is as public as the chain.
 */

const PREFIX = "roundup-history:";
/**
 * Limits how many histories are stored. One takes about 100 kB, at most about 500 kB, of the few MB that an origin
 * gets.
 */
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
    // Storage is full. Drop the entry; the next load reads the history again.
    localStorage.removeItem(own);
  }
}
