import { wrapsIn } from "../../domain/activity";
import type { Deps, HistoryEntry } from "../../ports";
import { readClaim, replaceClaim, type Saved } from "./claim-records";
import { markedWrap } from "./marked-wrap";

/** Transactions named by one call of the node. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE = 1_000;
/** Calls for signatures at most. */
const MAX_PAGES = 8;
/** Memos that say something is saved and are looked at by one answer: anybody can name the wallet beside one. */
const MAX_CANDIDATES = 6;
/** Those that somebody else wrote are not looked at again. */
const STRANGERS_KEPT_MS = 30 * 86_400_000;
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
 * whichever is newer. A mark that is newer than the store's is written there. While the store knows none, it is not complete
 * before all memos that may be marks are told apart: the newest may be what a forgery hides.
 */
export async function listUnsaved(deps: Deps, asked: Asked): Promise<Unsaved> {
  const { wallet, since } = asked;
  const signed = { wallet, mark: { kind: "through", value: "" } } as const;
  const record = await readClaim(deps, signed);
  const saved = record?.saved ?? null;
  const marked = new Set(saved ? [saved.value] : []);
  const found: Unsaved = { entries: [], savedThrough: saved?.value ?? null, isComplete: false, calls: 0 };
  let [candidates, isSure] = [MAX_CANDIDATES, true];
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const before = found.entries.at(-1)?.signature;
    const page = await deps.rpc.signaturesOf(wallet, { limit: PAGE, ...(before && { before }) });
    const marks = await readMarks(deps, asked, page, candidates);
    candidates -= marks.calls;
    found.calls += 1 + marks.calls;
    if (marked.size === 0 && !marks.isSure) isSure = false;
    for (const value of marks.values) marked.add(value);
    for (const entry of page) {
      const { signature, slot, blockTime } = entry;
      if (marked.has(signature)) {
        if (isSure && signature !== saved?.value)
          await replaceClaim(deps, signed, record, { held: null, ...record, saved: own(entry) });
        return { ...found, savedThrough: signature, isComplete: isSure };
      }
      // A node that is behind does not show the mark yet: what is older than it is saved all the same.
      if (saved && slot < saved.slot) return { ...found, isComplete: true };
      if (marked.size === 0 && blockTime !== null && blockTime * 1000 < since) return { ...found, isComplete: isSure };
      found.entries.push(entry);
    }
    if (page.length < PAGE) return { ...found, isComplete: isSure };
  }
  return found;
}

const own = ({ signature, slot }: HistoryEntry): Saved => ({ value: signature, slot, message: "" });

const strangersKey = (wallet: string, signature: string) => `no-mark:${wallet}:${signature}`;

interface Marks {
  /** What the wallet's own marks say, newest first. */
  values: string[];
  /** Whether none can be newer than the first of them, or than where it all begins. */
  isSure: boolean;
  calls: number;
}

/** @param most calls of the node */
async function readMarks(deps: Deps, asked: Asked, page: HistoryEntry[], most: number): Promise<Marks> {
  const { kv, rpc, feeCollectors } = deps;
  const { wallet, serviceWallet, since } = asked;
  const memos = page.filter(({ memo, error }) => error === null && memo && MARKED.test(memo));
  const strangers = await kv.getMany<true>(memos.map(({ signature }) => strangersKey(wallet, signature)));
  const marks: Marks = { values: [], isSure: true, calls: 0 };
  for (const { signature, blockTime } of memos.filter((_, i) => strangers[i] === null)) {
    const counts = marks.values.length === 0 && (blockTime === null || blockTime * 1000 >= since);
    if (marks.calls === most) return { ...marks, isSure: marks.isSure && !counts };
    marks.calls++;
    const figures = await rpc.transaction(signature);
    const [signed, ...more] = figures?.marks ?? [];
    if (figures && (signed?.wallet !== wallet || signed.mark.kind !== "through" || more.length > 0)) {
      await kv.set(strangersKey(wallet, signature), true, STRANGERS_KEPT_MS);
      continue;
    }
    const marked = figures && (await markedWrap(deps, figures, serviceWallet));
    if (marked) marks.values.push(marked.mark.value);
    // A wrap of its own into a wallet unknown here may well be its saving: who knows that wallet names it.
    else if (counts && (!figures || wrapsIn(figures.movements, feeCollectors).some(({ from }) => from === wallet)))
      marks.isSure = false;
  }
  return marks;
}
