import { type SpendingContext, savedThroughIn } from "../../domain/spending";
import type { Deps, HistoryEntry } from "../../ports";
import { readClaim, replaceClaim, type Saved } from "./claim-records";
import { serviceWalletsAmong } from "./spending-context";

/** Transactions named by one call of the node. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE = 1_000;
/** Calls for signatures at most. */
const MAX_PAGES = 8;
/** Memos that say something is saved and are looked at: anybody can name the wallet beside one. */
const MAX_CANDIDATES = 6;
const MARKED = /roundup:1:through:/;

interface Asked {
  wallet: string;
  serviceWallet: string | undefined;
  /** Ms since the epoch, where it begins when nothing is saved. */
  since: number;
}

export interface Unsaved {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The last transaction that is saved; null: none, it begins with a moment. */
  savedThrough: string | null;
  /** Whether it goes back to where it begins. */
  isComplete: boolean;
  /** Calls of the node that it took. */
  calls: number;
}

/**
 * The transactions of a wallet after the last one that is saved: by the claim that execute ended, or by a mark on the chain,
 * whichever is newer. A mark that is newer than the store's is written there.
 */
export async function listUnsaved(deps: Deps, { wallet, serviceWallet, since }: Asked): Promise<Unsaved> {
  const signed = { wallet, mark: { kind: "through", value: "" } } as const;
  const record = await readClaim(deps, signed);
  const saved = record?.saved ?? null;
  const marked = new Set(saved ? [saved.value] : []);
  const found: Unsaved = { entries: [], savedThrough: saved?.value ?? null, isComplete: false, calls: 0 };
  let candidates = MAX_CANDIDATES;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const before = found.entries.at(-1)?.signature;
    const page = await deps.rpc.signaturesOf(wallet, { limit: PAGE, ...(before && { before }) });
    const claimed = page.filter(({ memo, error }) => error === null && memo && MARKED.test(memo)).slice(0, candidates);
    candidates -= claimed.length;
    found.calls += 1 + claimed.length;
    for (const { signature } of claimed) {
      const value = await markIn(deps, wallet, serviceWallet, signature);
      if (value !== null) marked.add(value);
    }
    for (const entry of page) {
      const { signature, slot, blockTime } = entry;
      if (marked.has(signature)) {
        if (signature !== saved?.value)
          await replaceClaim(deps, signed, record, { held: null, ...record, saved: own(entry) });
        return { ...found, savedThrough: signature, isComplete: true };
      }
      // A node that is behind does not show the mark yet: what is older than it is saved all the same.
      if (saved && slot < saved.slot) return { ...found, isComplete: true };
      if (marked.size === 0 && blockTime !== null && blockTime * 1000 < since) return { ...found, isComplete: true };
      found.entries.push(entry);
    }
    if (page.length < PAGE) return { ...found, isComplete: true };
  }
  return found;
}

const own = ({ signature, slot }: HistoryEntry): Saved => ({ value: signature, slot, message: "" });

async function markIn(deps: Deps, wallet: string, serviceWallet: string | undefined, signature: string) {
  const figures = await deps.rpc.transaction(signature);
  if (!figures) return null;
  const context: SpendingContext = {
    wallet,
    feeCollectors: deps.feeCollectors,
    isServiceWallet: await serviceWalletsAmong(deps, wallet, serviceWallet, [figures]),
  };
  return savedThroughIn(figures, context);
}
