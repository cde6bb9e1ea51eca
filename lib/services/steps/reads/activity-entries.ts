import { deriveDollarAccounts } from "../../../domain/dollar-accounts";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { describeAllowance } from "../../../solana/token-accounts";

/*
 * Lists the transactions of a wallet and of its dollar accounts, in pages that list every transaction once.
 *
 * Nodes order only the transactions of one history. So a slot with a transaction that only a dollar account lists, and
 * with others, is never divided between two pages: a page that would end between a payment and a card's pull in one
 * slot ends before that slot.
 */

/** A transaction. `isOwn` is false if the wallet's own history does not list it. */
export type ActivityEntry = HistoryEntry & { isOwn: boolean };

/**
 * Lists the transactions of one page, newest first.
 * @param limit maximum number for each history
 * @param before the last transaction of the previous page
 * @returns `hasMore`: whether older transactions follow
 */
export async function listActivityEntries(deps: Deps, wallet: string, limit: number, before: string | undefined) {
  const { rpc } = deps;
  const dollarAccounts = deriveDollarAccounts(wallet);
  const page = { limit, ...(before !== undefined && { before }) };
  const toPage = (isOwn: boolean, entries: HistoryEntry[]): HistoryPage => {
    return { isOwn, entries, lowestSlot: entries.length < limit ? -1 : entries.at(-1)!.slot };
  };
  const [ownEntries, accounts] = await Promise.all([
    rpc.readSignatures(wallet, page),
    rpc.readAccounts(dollarAccounts, { waitsForBatch: true }),
  ]);
  const ownPage = toPage(true, ownEntries);
  const openAccounts = dollarAccounts.flatMap((address, i) => {
    const account = accounts[i];
    return account ? { address, unchangedState: describeAllowance(account.data) } : [];
  });
  const cursor = before === undefined || openAccounts.length === 0 ? null : await readCursor(deps, wallet, before);
  // Without the transaction's slot, a page of another history cannot continue behind it.
  if (openAccounts.length === 0 || (before !== undefined && !cursor)) {
    const entries = ownEntries.slice(0, limit - 1).map((entry) => ({ ...entry, isOwn: true }));
    return { entries, hasMore: ownEntries.length === limit };
  }
  const accountPages = await Promise.all(
    openAccounts.map(async ({ address, unchangedState }) =>
      toPage(false, await rpc.readSignatures(address, { ...page, unchangedState })),
    ),
  );
  const isListed = ({ slot }: HistoryEntry, isOwn: boolean) =>
    !cursor || slot < cursor.slot || (isOwn && cursor.isOwn && slot === cursor.slot);
  const pages = [ownPage, ...accountPages].map((listed) => {
    return { ...listed, entries: listed.entries.filter((entry) => isListed(entry, listed.isOwn)) };
  });
  return mergePages(pages, limit - 1);
}

interface HistoryPage {
  isOwn: boolean;
  entries: HistoryEntry[];
  /** The slot in which the page ends; -1 if the history ends with it. */
  lowestSlot: number;
}

/** Reads where a page starts. Returns null if no node has the transaction any more. */
async function readCursor({ rpc }: Deps, wallet: string, signature: string) {
  const figures = await rpc.readTransaction(signature);
  if (!figures || figures === "unsupported" || figures.slot === undefined) return null;
  return { slot: figures.slot, isOwn: figures.accountKeys.includes(wallet) };
}

/** Merges pages, the wallet's own first, down to the slot up to which all of them are complete. */
function mergePages(pages: HistoryPage[], maxCount: number): { entries: ActivityEntry[]; hasMore: boolean } {
  const entryBySignature = new Map<string, ActivityEntry>();
  for (const { isOwn, entries } of pages)
    for (const entry of entries)
      if (!entryBySignature.has(entry.signature)) entryBySignature.set(entry.signature, { ...entry, isOwn });
  const entries = [...entryBySignature.values()].sort((entry, other) => other.slot - entry.slot);
  const lowestSlot = Math.max(...pages.map((page) => page.lowestSlot));
  const completeCount = entries.filter(({ slot }) => slot > lowestSlot).length;
  // A page whose entries all lie in one slot is taken as it is.
  const count = Math.min(findPageEnd(entries, Math.min(maxCount, completeCount || maxCount)), maxCount);
  return { entries: entries.slice(0, count), hasMore: lowestSlot >= 0 || count < entries.length };
}

/** Returns where a page of at most `count` entries ends. It does not divide a slot that has entries of two histories. */
export function findPageEnd(entries: ActivityEntry[], count: number): number {
  const slot = entries[count]?.slot;
  if (slot === undefined || entries[count - 1]?.slot !== slot) return Math.min(count, entries.length);
  const first = entries.findIndex((entry) => entry.slot === slot);
  const end = entries.findLastIndex((entry) => entry.slot === slot) + 1;
  if (entries.slice(first, end).every(({ isOwn }) => isOwn)) return count;
  return first > 0 ? first : end;
}
