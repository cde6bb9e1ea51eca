import { describe, expect, test } from "vitest";
import { SERVICE } from "../../../../lib/clients/quota/budget";
import { createSignatureLists } from "../../../../lib/clients/solana/signature-lists";
import type { HistoryEntry, HistoryPage } from "../../../../lib/ports/solana-rpc";
import { createManualClock } from "../../../support/fakes/manual-clock";

const A = "address";
const NEWEST_SLOT = 1_250;
const entry = (name: string, slot: number): HistoryEntry => ({
  ...{ signature: name, slot, blockTime: slot, error: null, memo: null },
});

/** A node with a history, newest first, that answers pages as Solana nodes do. */
function stage(...history: HistoryEntry[]) {
  const clock = createManualClock();
  const requestedPages: HistoryPage[] = [];
  const node = { history, balances: "1" as string | null };
  const lists = createSignatureLists({
    ...{ clock, ttlMs: 400, getNewestSlot: () => NEWEST_SLOT, onJoin: () => {} },
    readBalances: async () => node.balances,
    async read(_asker, _address, page) {
      requestedPages.push(page);
      const start = node.history.findIndex(({ signature }) => signature === page.before) + 1;
      const end = node.history.findIndex(({ signature }) => signature === page.until);
      return node.history.slice(start, end < 0 ? undefined : end).slice(0, page.limit);
    },
  });
  const page = async (asking: HistoryPage) =>
    (await lists.readPage(SERVICE, A, asking)).map(({ signature }) => signature);
  return { clock, requestedPages, node, lists, page };
}

describe("a later listing", () => {
  test("asks only for what is newer than the newest final entry", async () => {
    const { clock, requestedPages, node, page } = stage(entry("young", 990), entry("final", 900), entry("old", 800));
    expect(await page({ limit: 60 })).toEqual(["young", "final", "old"]);
    await clock.advance(400);
    node.history.unshift(entry("new", 995));
    expect(await page({ limit: 60 })).toEqual(["new", "young", "final", "old"]);
    expect(requestedPages).toEqual([{ limit: 60 }, { limit: 1_000, until: "final" }]);
  });

  test("takes no entry twice from a node that ignores `until`", async () => {
    const { clock, node, page } = stage(entry("b", 900), entry("a", 800));
    await page({ limit: 60 });
    await clock.advance(400);
    node.history = [entry("c", 950), entry("not b", 900), entry("a", 800)];
    expect(await page({ limit: 60 })).toEqual(["c", "not b", "b", "a"]);
  });

  test("starts over when the newer entries fill a page, because some may lie between", async () => {
    const { clock, node, page } = stage(entry("old", 800));
    await page({ limit: 1_000 });
    await clock.advance(400);
    node.history.unshift(...Array.from({ length: 1_001 }, (_, i) => entry(`flood ${i}`, 900)));
    const entries = await page({ limit: 1_000 });
    expect([entries.length, entries.at(-1)]).toEqual([1_000, "flood 999"]);
    expect(await page({ limit: 2, before: "flood 998" })).toEqual(["flood 999", "flood 1000"]);
  });
});

test("a list is served for 30 s while the balances stay the same, if the caller allows it", async () => {
  const { clock, requestedPages, node, page } = stage(entry("a", 900));
  const quiet = { limit: 60, unlessUnchanged: true, minSlot: 1_000 };
  /** Returns how many calls a listing after so many ms makes. */
  const callsAfter = async (ms: number, asking: HistoryPage = quiet) => {
    await clock.advance(ms);
    requestedPages.length = 0;
    await page(asking);
    return requestedPages.length;
  };
  expect(await callsAfter(0)).toBe(1);
  // The balances are new, so a node may list their transaction only now.
  node.history.unshift(entry("b", 1_240));
  expect(await callsAfter(9_999)).toBe(1);
  expect(await callsAfter(1)).toBe(1);
  expect(await callsAfter(29_999)).toBe(0);
  expect(await callsAfter(1)).toBe(1);
  expect(await callsAfter(1_000, { limit: 60 })).toBe(1);
  // That listing was read without the balances.
  expect(await callsAfter(1_000)).toBe(1);
  expect(await callsAfter(10_000)).toBe(1);
  expect(await callsAfter(1_000)).toBe(0);
  for (const balances of ["2", null]) {
    node.balances = balances;
    expect(await callsAfter(1_000)).toBe(1);
    expect(await callsAfter(1_000)).toBe(1);
  }
});

test("a page needs a call only if it reaches beyond the kept entries", async () => {
  const { requestedPages, page } = stage(...[5, 4, 3, 2, 1].map((i) => entry(`${i}`, 100 + i)));
  await page({ limit: 3 });
  expect(await page({ limit: 1, before: "5" })).toEqual(["4"]);
  expect(requestedPages).toHaveLength(1);
  expect(await page({ limit: 2, before: "4" })).toEqual(["3", "2"]);
  expect(requestedPages).toHaveLength(2);
});

test("a listing with a minimum slot always calls the node", async () => {
  const { requestedPages, page } = stage(entry("b", 900), entry("a", 800));
  for (let i = 0; i < 2; i++) expect(await page({ limit: 60, minSlot: 990 })).toEqual(["b", "a"]);
  expect(await page({ limit: 60, until: "a" })).toEqual(["b"]);
  expect(requestedPages).toEqual([
    { limit: 60, minSlot: 990 },
    { limit: 1_000, until: "b", minSlot: 990 },
  ]);
});

test("a listing in flight serves no call that starts after the address has changed", async () => {
  const { requestedPages, lists, page } = stage(entry("a", 800));
  const earlierListing = page({ limit: 60 });
  lists.invalidate(new Set([A]));
  await Promise.all([earlierListing, page({ limit: 60 })]);
  await page({ limit: 60 });
  expect(requestedPages).toHaveLength(2);
});
