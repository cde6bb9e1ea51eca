import { afterEach, expect, test, vi } from "vitest";
import {
  DEFAULT_GUARDS,
  explainBlock,
  parseGuards,
  recordSavedAmount,
  sumSavedAmounts,
} from "../../../app/_client/local-storage/guards";

/** Records these amounts, USD, as saved just now. */
function saved(...usd: number[]): void {
  const list = usd.map((one) => ({ at: Date.now(), usd: one }));
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => (key === "roundup-saved:me" ? JSON.stringify({ list }) : null),
  });
}
afterEach(() => vi.unstubAllGlobals());

const against = (guards: Partial<typeof DEFAULT_GUARDS>, usd: number, balanceSol: number | null = 1, totalSol = 0) =>
  explainBlock({ ...DEFAULT_GUARDS, ...guards }, "me", usd, balanceSol, totalSol);

test("allows reaching a cap exactly and rejects exceeding it by one micro-dollar", () => {
  saved(0.1);
  for (const cap of ["perDayUsd", "perMonthUsd"] as const) {
    expect(against({ [cap]: 0.3 }, 0.2)).toBeNull();
    expect(against({ [cap]: 0.3 }, 0.200001)).toContain("over your cap");
  }
});

test("enforces the floor to the lamport and blocks while the balance is unknown", () => {
  saved();
  expect(against({ floorSol: 0.3 }, 0.1, 0.4, 0.1)).toBeNull();
  expect(against({ floorSol: 0.3 }, 0.1, 0.4, 0.100000001)).toContain("under the floor");
  expect(against({ floorSol: 0.3 }, 0.1, null)).toContain("not known yet");
  expect(against({}, 0.1, null)).toBeNull();
});

test("blocks a round-up while paused or above the ceiling", () => {
  saved();
  expect(against({ paused: true }, 0.01)).toContain("paused");
  expect(against({ ceilingUsd: 0.5 }, 0.5)).toBeNull();
  expect(against({ ceilingUsd: 0.5 }, 0.51)).toContain("above your ceiling");
});

test("counts a save seen by two tabs once and two saves of the same amount twice", () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  vi.stubGlobal("window", { dispatchEvent: () => true });
  expect(recordSavedAmount("me", 0.07, "first")).toBe(true);
  expect(recordSavedAmount("me", 0.07, "first"), "the other tab").toBe(false);
  expect(sumSavedAmounts("me").dayUsd).toBe(0.07);
  expect(recordSavedAmount("me", 0.07, "second")).toBe(true);
  expect(sumSavedAmounts("me").dayUsd).toBe(0.14);
});

test.each(["{", "null", "7", '{"list":7}', '{"list":[null,{"at":"now","usd":1},{"at":1}]}'])(
  "what is kept as %s is no saving",
  (text) => {
    vi.stubGlobal("localStorage", { getItem: () => text });
    expect(sumSavedAmounts("me")).toEqual({ dayUsd: 0, monthUsd: 0 });
    expect(parseGuards(text)).toMatchObject(DEFAULT_GUARDS);
  },
);

test("ignores stored limits that are invalid", () => {
  const kept = { ceilingUsd: "1", perDayUsd: 2, perMonthUsd: null, floorSol: {}, paused: "no", thresholdUsd: null };
  expect(parseGuards(JSON.stringify(kept))).toEqual({ ...DEFAULT_GUARDS, perDayUsd: 2 });
});
