import { lamportsToUsd, pickLarger, toMicroUsd } from "../../domain/money";
import { DAY_MS, findMonthStart, LONGEST_MONTH_MS } from "../../domain/time";
import { readStoredRecord } from "../../sdk/flow/record";
import { isInUsdc, type WrapBreakdown, type WrapRecord } from "../../sdk/flow/wraps";
import { readFirstSignature } from "../../sdk/sign/transactions";
import { type ActivityReader, type DatedItem, type LimitPeriod, readMoves } from "./moves";
import type { Session } from "./session";

/** The names of the flows that save. Each has its own record of an unfinished action. */
export const SAVING_FLOWS = ["topup", "save"] as const;
export type SavingFlow = (typeof SAVING_FLOWS)[number];

/** An action of the last 32 days. */
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

/** The items that a sum covers, and what each is worth. */
interface Counting {
  /** True to count only what the user's wallet saves. */
  savingsOnly: boolean;
  /** Returns micro-dollars. */
  valueItem(item: DatedItem): bigint;
}

/** A transaction can land for 150 blocks after its build. Two minutes outlive them, and a slow node. */
export const MAX_LANDING_MS = 2 * 60_000;

/**
 * Returns whether a time is in the period that includes `nowMs`. There is no upper bound, because an entry written by a
 * clock that ran ahead counts as well.
 */
const isInPeriod = (period: LimitPeriod, timeMs: number, nowMs: number) =>
  period === "day" ? timeMs > nowMs - DAY_MS : timeMs >= findMonthStart(nowMs);

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the ledger of a service wallet. Every program with a limit that uses this storage counts with it, because the
 * chain shows an action late, and never shows a pending one. An entry is written before the first signature. It is
 * removed when its program learns that none of its transactions was sent, or after 32 days. If the program is killed
 * before it learns the outcome, the entry stays open for a day. The action may count twice until then, and is never left
 * out: later the chain alone counts it.
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
    /** Stores an action before its first signature. */
    reserve: async (flow: string, microUsd: bigint) =>
      writeEntries([...(await readEntries()), { flow, atMs: clock.now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    /**
     * Stores the transactions of this flow that landed or may land; none if nothing was sent.
     * @param microUsd their value, if another program may have sent them
     */
    settle: async (flow: string, txSignatures: string[], microUsd = 0n) =>
      writeEntries(closeEntry(await readEntries(), flow, txSignatures, microUsd)),
    /**
     * Returns the micro-dollars moved in the period; null while the history is still being read. Counts each action
     * whose outcome was stored once, whether it is on the chain, in the ledger or a saving in flight.
     * @throws {ApiError} and errors of `valueItem`
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

/**
 * Returns the micro-dollars that a saving takes from the wallet, without the network fee and the deposit of a token
 * account. A unit of USDC is one micro-dollar.
 */
export const toSavingMicroUsd = ({ breakdown }: { breakdown: WrapBreakdown }): bigint =>
  isInUsdc(breakdown)
    ? BigInt(breakdown.roundUpUnits)
    : toMicroUsd(lamportsToUsd(breakdown.roundUpLamports + breakdown.activationLamports, breakdown.solPriceUsd ?? 0));
