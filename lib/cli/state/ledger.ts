import { lamportsToUsd, pickLarger, toMicroUsd } from "../../domain/money";
import { DAY_MS, findMonthStart, LONGEST_MONTH_MS } from "../../domain/time";
import { readStoredRecord } from "../../sdk/flow/record";
import { isInUsdc, type WrapBreakdown, type WrapRecord } from "../../sdk/flow/wraps";
import type { Storage } from "../../sdk/platform";
import type { Activity, PageRequest } from "../../sdk/reads";
import { readFirstSignature } from "../../sdk/sign/transactions";
import type { Session } from "./session";

/** The names of the flows that save. Each has its own record of an unfinished action. */
export const SAVING_FLOWS = ["topup", "save"] as const;
export type SavingFlow = (typeof SAVING_FLOWS)[number];

interface LedgerEntry {
  /** The name of the action's flow, e.g. `save`. */
  flow: string;
  /** Start of the action, ms since the Unix epoch. */
  atMs: number;
  /** Value moved, in micro-dollars, as decimal digits. */
  microUsd: string;
  /** Signatures that landed or may land; empty until they are known. Such an entry is open. */
  txSignatures: string[];
}

interface Counting {
  /** True to count only what the user's wallet saves. */
  savingsOnly: boolean;
  valueItem(item: DatedItem): bigint;
}

/** A transaction can land for 150 blocks after its build. Two minutes outlive them, and a slow node. */
export const MAX_LANDING_MS = 2 * 60_000;

/** There is no upper bound, because an entry written by a clock that ran ahead counts as well. */
const isInPeriod = (period: LimitPeriod, timeMs: number, nowMs: number) =>
  period === "day" ? timeMs > nowMs - DAY_MS : timeMs >= findMonthStart(nowMs);

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the ledger of a service wallet, shared by every program with a limit: the chain shows an action late, and never a
 * pending one. An entry is written before the first signature, and removed when nothing was sent, or after 32 days. If the
 * program is killed before it learns the outcome, the entry stays open for a day. The action may count twice until then,
 * and is never left out: later the chain alone counts it.
 */
export function openLedger({ roundup, storage, lock, wallet, clock }: Session) {
  const readKey = async () => `roundup-ledger:${await roundup.serviceWallet()}`;
  const readEntries = async (): Promise<LedgerEntry[]> => {
    const entries: LedgerEntry[] = JSON.parse((await storage.get(await readKey())) ?? "[]");
    return entries.filter(
      ({ atMs, txSignatures }) => atMs > clock.now() - (txSignatures.length > 0 ? LONGEST_MONTH_MS : DAY_MS),
    );
  };
  const writeEntries = async (entries: LedgerEntry[]) => storage.set(await readKey(), JSON.stringify(entries));
  /** Names the transactions of the newest open entry of this flow. Without transactions, the entry is removed. */
  const closeEntry = (entries: LedgerEntry[], flow: string, txSignatures: string[], microUsd: bigint) => {
    if (entries.some((entry) => entry.txSignatures.some((signature) => txSignatures.includes(signature))))
      return entries;
    const openEntry = entries.findLast((entry) => entry.flow === flow && entry.txSignatures.length === 0);
    const { atMs = clock.now(), microUsd: reserved = "0" } = openEntry ?? {};
    const closedEntry = { flow, atMs, microUsd: `${pickLarger(BigInt(reserved), microUsd)}`, txSignatures };
    return [...entries.filter((entry) => entry !== openEntry), ...(txSignatures.length > 0 ? [closedEntry] : [])];
  };
  return {
    readEntries,
    /** Runs a task alone. Returns null without running it while another program runs one. Only a task may write. */
    async runAlone<Value>(task: () => Promise<Value>): Promise<Value | null> {
      let value: Value | null = null;
      await lock(await readKey(), async () => {
        value = await task();
      });
      return value;
    },
    reserve: async (flow: string, microUsd: bigint) =>
      writeEntries([...(await readEntries()), { flow, atMs: clock.now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    /** Stores what landed or may land, if anything. @param microUsd its value, if another program may have sent it */
    settle: async (flow: string, txSignatures: string[], microUsd = 0n) =>
      writeEntries(closeEntry(await readEntries(), flow, txSignatures, microUsd)),
    /**
     * Returns micro-dollars; null while the history is still being read. Counts each action whose outcome was stored once,
     * whether it is on the chain, in the ledger or a saving in flight. @throws {ApiError} and errors of `valueItem`
     */
    async sumMicroUsd(
      period: LimitPeriod,
      { savingsOnly, valueItem }: Counting,
      reader: ActivityReader = roundup,
    ): Promise<bigint | null> {
      const nowMs = clock.now();
      let entries = await readEntries();
      for (const flow of SAVING_FLOWS) {
        const inFlight = (await readStoredRecord<unknown, WrapRecord>(storage, flow, wallet))?.inFlight;
        if (inFlight)
          entries = closeEntry(entries, flow, [readFirstSignature(inFlight.signed)], toSavingMicroUsd(inFlight.about));
      }
      const moves = await readMoves(period, reader, storage, await roundup.serviceWallet(), nowMs);
      if (!moves) return null;
      // An action that starts in the last minutes of a month may land in the next one, so it counts in both.
      const graceMs = period === "month" ? MAX_LANDING_MS : 0;
      entries = entries.filter(({ atMs }) => isInPeriod(period, atMs + graceMs, nowMs));
      const knownSignatures = new Set(entries.flatMap(({ txSignatures }) => txSignatures));
      const isSaving = ({ flow }: LedgerEntry) => (SAVING_FLOWS as readonly string[]).includes(flow);
      const values = [
        ...entries.filter((entry) => !savingsOnly || isSaving(entry)).map(({ microUsd }) => BigInt(microUsd)),
        ...moves
          .filter(({ time }) => isInPeriod(period, Date.parse(time), nowMs))
          .filter(({ type, txSignature }) => (!savingsOnly || type === "round_up") && !knownSignatures.has(txSignature))
          .map(valueItem),
      ];
      return values.reduce((sum, value) => sum + value, 0n);
    },
  };
}

/** Returns what a saving takes, without network fee and deposit, in micro-dollars. A unit of USDC is one. */
export const toSavingMicroUsd = ({ breakdown }: { breakdown: WrapBreakdown }): bigint =>
  isInUsdc(breakdown)
    ? BigInt(breakdown.roundUpUnits)
    : toMicroUsd(lamportsToUsd(breakdown.roundUpLamports + breakdown.activationLamports, breakdown.solPriceUsd ?? 0));

/** A node may show a transaction late or incompletely until it is this old. Younger ones are read again each time. */
const UNSETTLED_AGE_MS = 10 * 60_000;
const PAGE_SIZE = 50;
const MAX_PAGES = 10;

/** A period of a limit: the last 24 hours, or the calendar month in local time, as on the page. */
export type LimitPeriod = "day" | "month";

/** How far back the reader reads. It reads more than a month, so that a change of the time zone leaves no gap. */
const READ_MS: Record<LimitPeriod, number> = { day: DAY_MS, month: LONGEST_MONTH_MS };

export type DatedItem = Activity["items"][number] & { time: string };

/** They count only if the service wallet paid the fee, or a stranger could use up the limits by burning junk tokens. */
const SIGNED_TYPES = new Set<string>(["swap", "withdrawal"]);

/** Deposits do not count, because strangers make them. The user's wallet pays for a saving, so its fee proves nothing. */
const isCounted = ({ type, status, networkFeeLamports }: DatedItem) =>
  status === "confirmed" && (type === "round_up" || (SIGNED_TYPES.has(type) && networkFeeLamports !== null));

interface ActivityPart {
  /** `items` is complete up to and including this transaction; null when nothing has been read yet. */
  readTo: string | null;
  /** Newest first. */
  items: DatedItem[];
}

/** An unfinished read, which continues with the page before the transaction `before`. */
interface UnfinishedRead extends ActivityPart {
  before: string | null;
}

interface StoredPeriod extends ActivityPart {
  /** The read that has not reached `readTo` yet. */
  walk: UnfinishedRead | null;
}

const NOTHING_READ: StoredPeriod = { readTo: null, items: [], walk: null };
const createEmptyRead = (): UnfinishedRead => ({ readTo: null, before: null, items: [] });

export interface ActivityReader {
  activity(request: PageRequest): Promise<Pick<Activity, "items" | "nextBefore">>;
}

/**
 * Returns the movements of a service wallet in the last 24 hours, or for a month in the last 32 days, newest first; null
 * while more pages must be read. Stores its progress even when a call fails. Otherwise a stranger's dust could make the
 * history too long to ever finish, and savings would stop. @throws {ApiError}
 */
export async function readMoves(
  period: LimitPeriod,
  reader: ActivityReader,
  storage: Storage,
  serviceWallet: string,
  nowMs: number,
): Promise<DatedItem[] | null> {
  const key = `roundup-${period}:${serviceWallet}`;
  let stored = parseStoredPeriod(await storage.get(key));
  const storeProgress = (newlyStored: StoredPeriod) => {
    stored = newlyStored;
    return storage.set(key, JSON.stringify(newlyStored));
  };
  const isRecent = ({ time }: DatedItem) => Date.parse(time) > nowMs - READ_MS[period];
  let currentRead = stored.walk ?? createEmptyRead();
  let isFromNewest = stored.walk === null;
  let recentItems: DatedItem[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextBefore } = await reader.activity({ limit: PAGE_SIZE, before: currentRead.before ?? undefined });
    const datedItems = items.map((item) => ({ ...item, time: item.time ?? new Date(nowMs).toISOString() }));
    // The page ends at the part that an earlier read has covered, or before the period.
    const endIndex = datedItems.findIndex((item) => item.txSignature === stored.readTo || !isRecent(item));
    for (const item of endIndex < 0 ? datedItems : datedItems.slice(0, endIndex)) {
      // This item and all older ones are settled, so a later read ends here.
      if (currentRead.readTo === null && Date.parse(item.time) < nowMs - UNSETTLED_AGE_MS)
        currentRead.readTo = item.txSignature;
      if (isCounted(item)) (currentRead.readTo === null ? recentItems : currentRead.items).push(item);
    }
    if (endIndex < 0 && nextBefore !== null) {
      currentRead.before = nextBefore;
      await storeProgress({ ...stored, walk: currentRead });
      continue;
    }
    const mergedItems = mergeItems(currentRead.items, stored.items.filter(isRecent));
    await storeProgress({ readTo: currentRead.readTo ?? stored.readTo, items: mergedItems, walk: null });
    if (isFromNewest) return mergeItems(recentItems, mergedItems);
    // This read began in an earlier call. Read once more from the newest transaction, because others may have landed since.
    [currentRead, isFromNewest, recentItems] = [createEmptyRead(), true, []];
  }
  return null;
}

function mergeItems(newerItems: DatedItem[], olderItems: DatedItem[]): DatedItem[] {
  return [...new Map([...newerItems, ...olderItems].map((item) => [item.txSignature, item])).values()];
}

/** Parses stored progress. Damaged text counts as no progress, because the chain has all the data. */
function parseStoredPeriod(text: string | null): StoredPeriod {
  try {
    return { ...NOTHING_READ, ...JSON.parse(text ?? "{}") };
  } catch {
    return NOTHING_READ;
  }
}
