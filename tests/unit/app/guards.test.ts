import { afterEach, expect, test, vi } from "vitest";
import {
  DEFAULT_GUARDS,
  findBlockingReason,
  parseGuards,
  recordSavedAmount,
  sumSavedAmounts,
} from "../../../app/_client/local-storage/guards";

function stubSavedAmounts(...amountsUsd: number[]): void {
  const savedAmounts = amountsUsd.map((usd) => ({ at: Date.now(), usd }));
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => (key === "roundup-saved:me" ? JSON.stringify({ list: savedAmounts }) : null),
  });
}
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const checkGuards = (
  guards: Partial<typeof DEFAULT_GUARDS>,
  usd: number,
  balanceSol: number | null = 1,
  totalSol = 0,
) => findBlockingReason({ ...DEFAULT_GUARDS, ...guards }, "me", usd, balanceSol, totalSol);

test("the page blocks a saving that exceeds a limit by one micro-dollar", () => {
  stubSavedAmounts(0.1);
  for (const [name, words] of [
    ["perDayUsd", "over your daily limit"],
    ["perMonthUsd", "over your monthly limit"],
  ] as const) {
    expect(checkGuards({ [name]: 0.3 }, 0.2)).toBeNull();
    expect(checkGuards({ [name]: 0.3 }, 0.200001)).toContain(words);
  }
});

test("the page blocks a saving that leaves a lamport less than the minimum balance", () => {
  stubSavedAmounts();
  expect(checkGuards({ floorSol: 0.3 }, 0.1, 0.4, 0.1)).toBeNull();
  expect(checkGuards({ floorSol: 0.3 }, 0.1, 0.4, 0.100000001)).toContain("less in your main wallet");
});

test("the page blocks a saving with a minimum balance while the balance is unknown", () => {
  stubSavedAmounts();
  expect(checkGuards({ floorSol: 0.3 }, 0.1, null)).toContain("not known yet");
  expect(checkGuards({}, 0.1, null)).toBeNull();
});

test("the page blocks a saving while saving is paused, or above the limit for one payment", () => {
  stubSavedAmounts();
  expect(checkGuards({ paused: true }, 0.01)).toContain("paused");
  expect(checkGuards({ ceilingUsd: 0.5 }, 0.5)).toBeNull();
  expect(checkGuards({ ceilingUsd: 0.5 }, 0.51)).toContain("above your limit");
});

function stubStorage() {
  const storedTexts = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storedTexts.get(key) ?? null,
    setItem: (key: string, value: string) => storedTexts.set(key, value),
  });
  vi.stubGlobal("window", { dispatchEvent: () => true });
}

test("the monthly limit counts a month's first save until the month ends, even if clocks are set back in it", () => {
  stubStorage();
  vi.stubEnv("TZ", "Europe/Berlin");
  vi.useFakeTimers({ now: new Date(2026, 9, 1, 0, 15) });
  recordSavedAmount("me", 1, "first");
  vi.setSystemTime(new Date(2026, 9, 31, 23, 45));
  recordSavedAmount("me", 1, "last");
  expect(sumSavedAmounts("me").monthUsd).toBe(2);
});

test("the daily limit counts a save once when two tabs record it", () => {
  stubStorage();
  expect(recordSavedAmount("me", 0.07, "first")).toBe(true);
  expect(recordSavedAmount("me", 0.07, "first"), "the other tab records the same save").toBe(false);
  expect(sumSavedAmounts("me").dayUsd).toBe(0.07);
  expect(recordSavedAmount("me", 0.07, "second")).toBe(true);
  expect(sumSavedAmounts("me").dayUsd).toBe(0.14);
});

test.each(["{", "null", "7", '{"list":7}', '{"list":[null,{"at":"now","usd":1},{"at":1}]}'])(
  "reads the stored text %s as no savings and default guards",
  (text) => {
    vi.stubGlobal("localStorage", { getItem: () => text });
    expect(sumSavedAmounts("me")).toEqual({ dayUsd: 0, monthUsd: 0 });
    expect(parseGuards(text)).toMatchObject(DEFAULT_GUARDS);
  },
);

test("the page ignores stored limits that are invalid", () => {
  const limits = { ceilingUsd: "1", perDayUsd: 2, perMonthUsd: null, floorSol: {}, paused: "no", thresholdUsd: null };
  expect(parseGuards(JSON.stringify(limits))).toEqual({ ...DEFAULT_GUARDS, perDayUsd: 2 });
});
