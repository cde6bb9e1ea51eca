import { describe, expect, test } from "vitest";
import { SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createSignatureLists } from "../../../../lib/clients/solana/signature-lists";
import type { HistoryEntry, HistoryPageRequest } from "../../../../lib/ports/solana-rpc";
import { createManualClock } from "../../../support/fakes/manual-clock";

const ADDRESS = "address";
const NEWEST_SLOT = 1_250;
const createEntry = (signature: string, slot: number): HistoryEntry => {
  return { signature, slot, blockTime: slot, error: null, memo: null };
};

/** Creates the signature lists over a node with this history, newest first. */
function createLists(...history: HistoryEntry[]) {
  const clock = createManualClock();
  const requestedPages: HistoryPageRequest[] = [];
  const node = { history, balances: "1" as string | null };
  const lists = createSignatureLists({
    clock,
    ttlMs: 400,
    getNewestSlot: () => NEWEST_SLOT,
    onJoin: () => {},
    readBalances: async () => node.balances,
    async readNodePage(_quotaUser, _address, page) {
      requestedPages.push(page);
      const start = node.history.findIndex(({ signature }) => signature === page.before) + 1;
      const end = node.history.findIndex(({ signature }) => signature === page.until);
      return node.history.slice(start, end < 0 ? undefined : end).slice(0, page.limit);
    },
  });
  const listSignatures = async (page: HistoryPageRequest) =>
    (await lists.readPage(SERVICE_ITSELF, ADDRESS, page)).map(({ signature }) => signature);
  return { clock, requestedPages, node, lists, listSignatures };
}

describe("a later listing", () => {
  test("requests only what is newer than the newest final entry", async () => {
    const { clock, requestedPages, node, listSignatures } = createLists(
      createEntry("young", 990),
      createEntry("final", 900),
      createEntry("old", 800),
    );
    expect(await listSignatures({ limit: 60 })).toEqual(["young", "final", "old"]);
    await clock.advance(400);
    node.history.unshift(createEntry("new", 995));
    expect(await listSignatures({ limit: 60 })).toEqual(["new", "young", "final", "old"]);
    expect(requestedPages).toEqual([{ limit: 60 }, { limit: 1_000, until: "final" }]);
  });

  test("takes no entry twice from a node that ignores `until`", async () => {
    const { clock, node, listSignatures } = createLists(createEntry("b", 900), createEntry("a", 800));
    await listSignatures({ limit: 60 });
    await clock.advance(400);
    node.history = [createEntry("c", 950), createEntry("not b", 900), createEntry("a", 800)];
    expect(await listSignatures({ limit: 60 })).toEqual(["c", "not b", "b", "a"]);
  });

  test("starts over when the newer entries fill a page, because more may lie before the known ones", async () => {
    const { clock, node, listSignatures } = createLists(createEntry("old", 800));
    await listSignatures({ limit: 1_000 });
    await clock.advance(400);
    node.history.unshift(...Array.from({ length: 1_001 }, (_, i) => createEntry(`flood ${i}`, 900)));
    const entries = await listSignatures({ limit: 1_000 });
    expect([entries.length, entries.at(-1)]).toEqual([1_000, "flood 999"]);
    expect(await listSignatures({ limit: 2, before: "flood 998" })).toEqual(["flood 999", "flood 1000"]);
  });
});

test("a list is served for 30 s while the balances stay the same, if the caller allows a cached one", async () => {
  const { clock, requestedPages, node, listSignatures } = createLists(createEntry("a", 900));
  /** Returns the number of calls that a listing makes after this many ms. */
  const countCallsAfter = async (
    ms: number,
    page: HistoryPageRequest = { limit: 60, mayUseCacheIfUnchanged: true, minSlot: 1_000 },
  ) => {
    await clock.advance(ms);
    requestedPages.length = 0;
    await listSignatures(page);
    return requestedPages.length;
  };
  expect(await countCallsAfter(0)).toBe(1);
  // The balances are new, so a node may list their transaction only now.
  node.history.unshift(createEntry("b", 1_240));
  expect(await countCallsAfter(9_999)).toBe(1);
  expect(await countCallsAfter(1)).toBe(1);
  expect(await countCallsAfter(29_999)).toBe(0);
  expect(await countCallsAfter(1)).toBe(1);
  expect(await countCallsAfter(1_000, { limit: 60 })).toBe(1);
  // The listing before was read without the balances.
  expect(await countCallsAfter(1_000)).toBe(1);
  expect(await countCallsAfter(10_000)).toBe(1);
  expect(await countCallsAfter(1_000)).toBe(0);
  for (const balances of ["2", null]) {
    node.balances = balances;
    expect(await countCallsAfter(1_000)).toBe(1);
    expect(await countCallsAfter(1_000)).toBe(1);
  }
});

test("a listing with a minimum slot always calls the node", async () => {
  const { requestedPages, listSignatures } = createLists(createEntry("b", 900), createEntry("a", 800));
  for (let i = 0; i < 2; i++) expect(await listSignatures({ limit: 60, minSlot: 990 })).toEqual(["b", "a"]);
  expect(await listSignatures({ limit: 60, until: "a" })).toEqual(["b"]);
  expect(requestedPages).toEqual([
    { limit: 60, minSlot: 990 },
    { limit: 1_000, until: "b", minSlot: 990 },
  ]);
});

test("a listing in flight serves no call that starts after the address has changed", async () => {
  const { requestedPages, lists, listSignatures } = createLists(createEntry("a", 800));
  const earlierListing = listSignatures({ limit: 60 });
  lists.invalidate(new Set([ADDRESS]));
  await Promise.all([earlierListing, listSignatures({ limit: 60 })]);
  await listSignatures({ limit: 60 });
  expect(requestedPages).toHaveLength(2);
});
