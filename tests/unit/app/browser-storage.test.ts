import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserStore, checkRoom, findStorageProblem } from "../../../app/_client/local-storage/browser-storage";

/** Characters. */
const QUOTA = 40_000;
const SMALL = "x".repeat(1_000);

/** As in a browser, the keys of a localStorage are those of its entries. */
function createFakeStorage() {
  const storage = Object.create({
    getItem: (key: string) => storage[key] ?? null,
    removeItem: (key: string) => delete storage[key],
    setItem: (key: string, value: string) => {
      const otherEntries = Object.entries<string>(storage).filter(([name]) => name !== key);
      const length = [...otherEntries, [key, value]].flat().join("").length;
      if (length > QUOTA) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      storage[key] = value;
    },
  });
  return storage;
}

let storage: Record<string, string>;
/** To the last character, as a page at the same address could. */
const fillStorage = () => {
  storage.other = "";
  storage.other = "x".repeat(QUOTA - Object.entries(storage).flat().join("").length);
};

beforeEach(() => {
  storage = createFakeStorage();
  vi.stubGlobal("localStorage", storage);
  browserStore.removeOwnEntries();
  checkRoom();
});
afterEach(() => vi.unstubAllGlobals());

function blockByThrowing(): void {
  const get = () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  };
  Object.defineProperty(globalThis, "localStorage", { get, configurable: true });
}

test.each([
  ["throws", blockByThrowing],
  ["is null", () => vi.stubGlobal("localStorage", null)],
])("where localStorage %s, values last as long as the page, and a record is refused", (_caseName, block) => {
  block();
  expect(browserStore.get("roundup-a")).toBeNull();
  expect(browserStore.keep("roundup-a", "1")).toBe(false);
  expect(browserStore.get("roundup-a")).toBe("1");
  expect(browserStore.isStored("roundup-a")).toBe(false);
  expect(browserStore.listKeys()).toEqual(["roundup-a"]);
  expect([findStorageProblem(), checkRoom()]).toEqual(["blocked", "blocked"]);
  expect(() => browserStore.store("roundup-a", "2")).toThrow("This browser blocks storage for this site.");
  expect(browserStore.get("roundup-a"), "a refused value is not kept").toBe("1");
  expect(browserStore.keep("roundup-a", null)).toBe(true);
  expect(browserStore.get("roundup-a")).toBeNull();
});

test("a history takes no room from prices, nor prices from anything else", () => {
  for (const name of ["prices:sandbox", "goal:me"]) browserStore.keep(`roundup-${name}`, SMALL);
  fillStorage();
  expect(browserStore.keep("roundup-history:a", SMALL)).toBe(false);
  expect(browserStore.keep("roundup-prices:mainnet-beta", SMALL)).toBe(false);
  expect(Object.keys(storage).sort()).toEqual(["other", "roundup-goal:me", "roundup-prices:sandbox"]);
  expect(findStorageProblem(), "what can be read again is no loss").toBeNull();
});

test("a full storage keeps the earlier value of a setting, but not of what must not come back", () => {
  browserStore.keep("roundup-guards:me", "10");
  browserStore.replace("roundup-list:me", "old");
  fillStorage();
  expect(browserStore.keep("roundup-guards:me", "1000")).toBe(false);
  browserStore.replace("roundup-list:me", SMALL);
  expect([browserStore.get("roundup-guards:me"), browserStore.get("roundup-list:me")]).toEqual(["1000", SMALL]);
  expect([storage["roundup-guards:me"], storage["roundup-list:me"]]).toEqual(["10", undefined]);
  expect(findStorageProblem()).toBe("full");
});

test("once the other pages' data is deleted, what this tab's memory holds is stored and a record fits", () => {
  fillStorage();
  browserStore.keep("roundup-goal:me", SMALL);
  expect(() => browserStore.store("roundup-record", SMALL)).toThrow("storage for this site is full");
  expect(checkRoom()).toBe("full");
  expect(browserStore.measureOtherEntries()).toBe(QUOTA);
  browserStore.removeOtherEntries();
  expect(checkRoom()).toBeNull();
  expect(findStorageProblem()).toBeNull();
  expect(storage).toEqual({ "roundup-goal:me": SMALL });
});
