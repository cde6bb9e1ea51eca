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

test("a page for a known state is served for ten minutes, if it was read 10 seconds after the state was first seen", async () => {
  const { clock, requestedPages, listSignatures } = createLists(createEntry("a", 1_249));
  const readAfter = async (ms: number, unchangedState: string) => {
    await clock.advance(ms);
    expect(await listSignatures({ limit: 60, unchangedState })).toEqual(["a"]);
    return requestedPages.length;
  };
  expect(await readAfter(0, "1")).toBe(1);
  expect(await readAfter(9_000, "1")).toBe(2);
  expect(await readAfter(1_000, "1")).toBe(3);
  expect(await readAfter(599_999, "1")).toBe(3);
  expect(await readAfter(1, "1")).toBe(4);
  expect(await readAfter(400, "2")).toBe(5);
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
