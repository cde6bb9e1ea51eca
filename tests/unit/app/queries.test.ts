import { SWRConfig } from "swr";
import { SWRGlobalState } from "swr/_internal";
import { beforeEach, expect, test, vi } from "vitest";
import { cacheCombined, freshness, recordRead, toHistoryKey, toPortfolioPath } from "@/app/_client/queries/queries";

const OVERVIEW_PATH = "/api/overview/main?serviceWallet=saver";
const HISTORY_KEY = toHistoryKey("saver");
const tab = Object.assign(new EventTarget(), { visibilityState: "visible" });
vi.stubGlobal("document", tab);

/** What the page read again. The balances come with the overview, so their own query is paused and not listed. */
const readKeys: string[] = [];
const { cache } = SWRConfig.defaultValue;
for (const key of [OVERVIEW_PATH, HISTORY_KEY]) {
  cache.set(key, { _k: key } as object);
  SWRGlobalState.get(cache)![0][key] = [(async () => readKeys.push(key)) as never];
}

/** Records that another tab found this newest transaction. */
const shareNewest = (requestTime: number, txSignature: string) =>
  recordRead("/api/activity/saver?limit=20", requestTime, { items: [{ txSignature }] });

/** Shows an overview and a history that were read at `time`. */
function showOverview(time: number): void {
  for (const key of [OVERVIEW_PATH, HISTORY_KEY]) freshness.recordRead(key, time);
  cacheCombined({ [toPortfolioPath("saver")]: { balances: [] } }, OVERVIEW_PATH);
}

beforeEach(() => readKeys.splice(0));

test("an overview reads its balances and history again when another tab finds a new transaction", async () => {
  showOverview(1_000);
  shareNewest(1_000, "old");
  shareNewest(41_000, "new");
  await vi.waitFor(() => expect(readKeys.toSorted()).toEqual([OVERVIEW_PATH, HISTORY_KEY].toSorted()));
});

test("a hidden tab reads nothing for a new transaction until it is shown, and then each once", async () => {
  showOverview(101_000);
  tab.visibilityState = "hidden";
  for (const time of [141_000, 181_000]) shareNewest(time, `at ${time}`);
  await new Promise(setImmediate);
  expect(readKeys).toEqual([]);
  tab.visibilityState = "visible";
  tab.dispatchEvent(new Event("visibilitychange"));
  await vi.waitFor(() => expect(readKeys.toSorted()).toEqual([OVERVIEW_PATH, HISTORY_KEY].toSorted()));
});
