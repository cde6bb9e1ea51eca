import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type LimitPeriod, openLedger, readMoves } from "@/lib/cli/state/ledger";
import type { Session } from "@/lib/cli/state/session";
import { sumSaved } from "@/lib/cli/watch/pay-within-limits";
import { ASSETS } from "@/lib/domain/assets";
import { DAY_MS } from "@/lib/domain/time";
import { getRecordKey } from "@/lib/sdk/flow/record";
import { createMemoryStorage, createProcessLock } from "@/lib/sdk/platform";
import type { Activity } from "@/lib/sdk/reads";

const NOW = 10 * DAY_MS;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A signed transaction whose only signature is all zeros, base64. */
const SIGNED = Buffer.from([1, ...Array(64).fill(0), 0]).toString("base64");
const SIGNATURE = "1".repeat(64);
const createSolAmount = (amount: string) => ({ asset: "SOL", mint: ASSETS.SOL.mint, amount });
const createUsdcAmount = (amount: string) => ({ asset: "USDC", mint: ASSETS.USDC.mint, amount });
const UNKNOWN_TOKEN = { asset: null, mint: "unknown", amount: `${10n ** 18n}` };

let nowMs: number;
let storage: ReturnType<typeof createMemoryStorage>;
let lock: ReturnType<typeof createProcessLock>;
/** The transactions that the service shows, newest first. */
let activity: object[];

beforeEach(() => {
  [nowMs, storage, lock, activity] = [NOW, createMemoryStorage(), createProcessLock(), []];
});

/** Opens the ledger, as a program does that starts on this machine. */
const open = () => {
  const roundup = {
    serviceWallet: async () => "service",
    activity: async () => ({ items: activity, nextBefore: null }),
  };
  return openLedger({ roundup, storage, lock, wallet: "wallet", clock: { now: () => nowMs } } as unknown as Session);
};
/** Shows a saving on the chain. */
const showSaving = (saving: object) => {
  const time = new Date(NOW - 1_000).toISOString();
  activity.push({ txSignature: SIGNATURE, type: "round_up", status: "confirmed", time, priceUsd: null, ...saving });
};
/** Stores a saving of 1 SOL in flight, as the SDK does before it posts the bytes. */
const storeInFlight = () => {
  const breakdown = { roundUpLamports: 1_000_000_000, activationLamports: 0, solPriceUsd: 100 };
  const record = { request: {}, done: [], inFlight: { label: "", about: { breakdown }, signed: SIGNED } };
  return storage.set(getRecordKey("save", "wallet"), JSON.stringify(record));
};
/** Returns the micro-dollars that the savings of a period count, at $100 per SOL. */
const sumSavings = (period: LimitPeriod = "day") => sumSaved({ ledger: open() }, period, 100);
/** Returns the micro-dollars of all actions, where each item on the chain counts one dollar. */
const sumActions = () => open().sumMicroUsd("day", { savingsOnly: false, valueItem: () => 1_000_000n });

test.each([
  ["the received SOL and the service fee", createSolAmount("10000000"), { serviceFeeLamports: 1_000_000 }, 1_100_000n],
  ["the received USDC and the service fee", createUsdcAmount("2992500"), { serviceFeeUnits: 7_500 }, 3_000_000n],
  ["no added tokens", UNKNOWN_TOKEN, {}, 0n],
  ["no outgoing amounts", createSolAmount("-5000000000"), {}, 0n],
])("a saving counts %s", async (_caseName, amount, fee, expected) => {
  showSaving({ amounts: [amount], serviceFeeLamports: 0, ...fee });
  expect(await sumSavings()).toBe(expected);
});

test("the savings of one program count for the others at once, and for a day", async () => {
  await open().reserve("save", 3_000_000n);
  await open().reserve("invest", 5_000_000n);
  expect([await sumSavings(), await sumActions()]).toEqual([3_000_000n, 8_000_000n]);
  nowMs += DAY_MS;
  expect(await sumActions()).toBe(0n);
});

test("an action counts once from its reservation until its outcome is stored, also while the chain shows it", async () => {
  await open().reserve("save", 100_000_000n);
  expect(await sumSavings()).toBe(100_000_000n);
  await storeInFlight();
  expect(await sumSavings()).toBe(100_000_000n);
  showSaving({ amounts: [createSolAmount("1000000000")], serviceFeeLamports: 0 });
  expect(await sumSavings()).toBe(100_000_000n);
  await storage.set(getRecordKey("save", "wallet"), null);
  await open().settle("save", [SIGNATURE], 100_000_000n);
  expect(await sumSavings()).toBe(100_000_000n);
});

test("a saving in flight of a program without limits counts, and as the larger amount after a crash", async () => {
  await storeInFlight();
  expect(await sumActions()).toBe(100_000_000n);
  await open().reserve("save", 1_000_000n);
  expect(await sumSavings()).toBe(100_000_000n);
});

test("an action that sent nothing stops counting", async () => {
  await open().reserve("topup", 1_000_000n);
  await open().reserve("save", 2_000_000n);
  await open().settle("save", []);
  expect(await sumSavings()).toBe(1_000_000n);
});

describe("a month", () => {
  /** The end of January 1970 in Berlin. */
  const MONTH_END = 31 * DAY_MS - HOUR_MS;
  beforeEach(() => void vi.stubEnv("TZ", "Europe/Berlin"));
  afterEach(() => void vi.unstubAllEnvs());

  test("counts savings in SOL and USDC until it ends in local time, also if the service no longer shows them", async () => {
    showSaving({ amounts: [createSolAmount("10000000")], serviceFeeLamports: 0 });
    showSaving({ txSignature: "usdc", amounts: [createUsdcAmount("2000000")], serviceFeeLamports: 0 });
    await open().reserve("save", 4_000_000n);
    await open().settle("save", ["own"]);
    expect(await sumSavings("month")).toBe(7_000_000n);
    nowMs += DAY_MS;
    expect([await sumSavings("day"), await sumSavings("month")]).toEqual([0n, 7_000_000n]);
    activity.length = 0;
    nowMs = MONTH_END - 1;
    expect(await sumSavings("month")).toBe(7_000_000n);
    nowMs = MONTH_END;
    expect(await sumSavings("month")).toBe(0n);
  });

  test("counts a saving of the last minutes of the month before, because it may land in this one", async () => {
    nowMs = MONTH_END - MINUTE_MS;
    await open().reserve("save", 4_000_000n);
    nowMs = MONTH_END + MINUTE_MS;
    expect(await sumSavings("month")).toBe(4_000_000n);
  });

  test("counts a saving whose program was killed before its outcome at least once", async () => {
    await open().reserve("save", 1_000_000n);
    expect(await sumSavings("month")).toBe(1_000_000n);
    showSaving({ amounts: [createUsdcAmount("1000000")], serviceFeeLamports: 0 });
    expect(await sumSavings("month")).toBe(2_000_000n);
    nowMs += DAY_MS;
    expect(await sumSavings("month")).toBe(1_000_000n);
  });
});

test("only one program at a time may act within the limits", async () => {
  const results = await open().runAlone(async () => ["ran", await open().runAlone(async () => "ran")]);
  expect(results).toEqual(["ran", null]);
});

/** Twice the age after which the reader does not read a transaction again, ms. */
const SETTLED_MS = 20 * MINUTE_MS;

/** Transactions on the chain, newest first. */
let chain: { txSignature: string; type: string; status: string; time: string | null }[];
/** Number of requests that the service answers in one call of `readMovementSignatures`. It refuses the others. */
let requestLimit: number;
let requestCount: number;

beforeEach(() => {
  [chain, requestLimit, requestCount] = [[], Number.POSITIVE_INFINITY, 0];
});

/** Adds transactions of this type. Returns the signature of the newest. */
const addTransactions = (type: string, count = 1, time: string | null = new Date(nowMs).toISOString()) => {
  for (let i = 0; i < count; i++) chain.unshift({ txSignature: `${chain.length}`, type, status: "confirmed", time });
  return chain[0]!.txSignature;
};

const fakeReader = {
  async activity({ limit = 0, before }: { limit?: number; before?: string }) {
    requestCount += 1;
    if (requestCount > requestLimit) throw new Error("rate_limited");
    const start = before === undefined ? 0 : chain.findIndex(({ txSignature }) => txSignature === before) + 1;
    const items = chain.slice(start, start + limit);
    const nextBefore = start + limit < chain.length ? items.at(-1)!.txSignature : null;
    return { items, nextBefore } as unknown as Activity;
  },
};

/** Returns the signatures of the period's movements; null while more pages must be read. */
const readMovementSignatures = async (period: LimitPeriod = "day") => {
  requestCount = 0;
  return (await readMoves(period, fakeReader, storage, "wallet", nowMs))?.map(({ txSignature }) => txSignature) ?? null;
};

test("the day's movements are the confirmed ones of the last 24 hours, from several pages", async () => {
  addTransactions("round_up");
  nowMs += DAY_MS;
  const signatures = ["round_up", "swap", "withdrawal"].map((type) => {
    addTransactions("deposit", 40);
    return addTransactions(type);
  });
  chain.find(({ txSignature }) => txSignature === signatures[1])!.status = "failed";
  expect(await readMovementSignatures()).toEqual([signatures[2], signatures[0]]);
  nowMs += DAY_MS;
  expect(await readMovementSignatures()).toEqual([]);
});

test("a read that the rate limit stopped continues where it stopped", async () => {
  const savingSignature = addTransactions("round_up");
  addTransactions("deposit", 400);
  nowMs += SETTLED_MS;
  requestLimit = 4;
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  await expect(readMovementSignatures()).rejects.toThrow("rate_limited");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});

test("the movements include transactions that land while older ones are read", async () => {
  const oldestSignature = addTransactions("round_up");
  addTransactions("deposit", 600);
  nowMs += SETTLED_MS;
  expect(await readMovementSignatures()).toBeNull();
  const newestSignature = addTransactions("round_up");
  expect(await readMovementSignatures()).toEqual([newestSignature, oldestSignature]);
});

test("the movements include a new transaction that the node shows only after newer ones", async () => {
  addTransactions("round_up");
  const lateTransaction = { ...chain[0]!, txSignature: "late" };
  addTransactions("deposit");
  nowMs += MINUTE_MS;
  expect(await readMovementSignatures()).toEqual(["0"]);
  chain.splice(1, 0, lateTransaction);
  expect(await readMovementSignatures()).toEqual(["late", "0"]);
});

test("a month's movements are those of the last 32 days, also after a read of the day", async () => {
  addTransactions("round_up");
  nowMs += 2 * DAY_MS;
  const signatures = [];
  for (let day = 0; day < 32; day++) {
    addTransactions("deposit", 30);
    signatures.unshift(addTransactions("round_up"));
    nowMs += DAY_MS;
  }
  nowMs -= DAY_MS;
  expect(await readMovementSignatures()).toEqual(signatures.slice(0, 1));
  // The first calls do not reach the first day.
  expect(await readMovementSignatures("month")).toBeNull();
  expect(await readMovementSignatures("month")).toBeNull();
  expect(await readMovementSignatures("month")).toEqual(signatures);
});

test("damaged progress in the storage makes the next call read from the start", async () => {
  const savingSignature = addTransactions("round_up");
  await storage.set("roundup-day:wallet", "{");
  expect(await readMovementSignatures()).toEqual([savingSignature]);
});
