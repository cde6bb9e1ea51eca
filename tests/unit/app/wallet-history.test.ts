import { describe, expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { createHistoryReader, type WalletHistory } from "@/app/_client/queries/wallet-history";
import { getActivityContract } from "@/lib/contracts/get-activity";

const EXAMPLE = getActivityContract.exampleAnswer.items[0]!;

/**
 * Creates a fake service whose wallet has `count` transactions, newest first. It logs its requests. `createReader`
 * simulates a page load.
 */
function createService(count: number) {
  const requests: string[] = [];
  const state = {
    count,
    emptyPages: 0,
    now: 1_000,
    landedAt: 0,
    isNearlyUsedUp: false,
    network: "sandbox",
    unvalued: new Set<number>(),
  };
  const storedTexts = new Map<string, string>();
  const get = async (path: string) => {
    requests.push(path);
    const { searchParams } = new URL(path, "https://roundup.example");
    const cursor = searchParams.get("before");
    const emptyPage = cursor === null ? 0 : Number(/^empty (\d+)$/.exec(cursor)?.[1] ?? state.emptyPages);
    // A page has no items if its transactions only mention the wallet.
    if (emptyPage < state.emptyPages)
      return { network: state.network, items: [], nextBefore: `empty ${emptyPage + 1}` } as never;
    const before = Number(cursor?.startsWith("empty") ? state.count + 1 : (cursor ?? state.count + 1));
    const numbers = Array.from({ length: Math.min(50, before - 1) }, (_, i) => before - 1 - i);
    const last = numbers.at(-1) ?? 1;
    return {
      walletAddress: "wallet",
      network: state.network,
      items: numbers.map((number) => ({
        ...EXAMPLE,
        txSignature: String(number),
        usdValue: state.unvalued.has(number) ? null : 1,
      })),
      nextBefore: last > 1 ? String(last) : null,
    } as never;
  };
  const createReader = () =>
    createHistoryReader({
      readPage: get,
      storage: { read: (key) => storedTexts.get(key) ?? null, write: (key, text) => void storedTexts.set(key, text) },
      readClock: () => state.now,
      getLastLandingTime: () => state.landedAt,
      isNearlyUsedUp: () => state.isNearlyUsedUp,
    });
  return { read: createReader(), reload: createReader, requests, state, storedTexts };
}

const listNumbers = ({ items }: WalletHistory) => items.map(({ txSignature }: ActivityItem) => Number(txSignature));
const listNumbersDownFrom = (count: number) => Array.from({ length: count }, (_, i) => count - i);

/** Reads until no more pages can be read. */
async function readWhole(read: (address: string) => Promise<WalletHistory>): Promise<WalletHistory> {
  let history = await read("wallet");
  while (!history.isComplete) history = await read("wallet");
  return history;
}

test("the history reads one page per call, however long the history is", async () => {
  const { read, requests } = createService(180);
  expect(await read("wallet")).toMatchObject({ isComplete: false });
  expect(requests).toHaveLength(1);
});

test("continues with the next older page on each read and returns each transaction once", async () => {
  const { read, requests, state } = createService(180);
  await read("wallet");
  state.count = 183;
  state.landedAt = state.now;
  state.now += 10_000;
  expect(listNumbers(await readWhole(read))).toEqual(listNumbersDownFrom(183));
  expect(requests).toHaveLength(5);
  await read("wallet");
  expect(requests, "a complete history is cached").toHaveLength(5);
  state.now += 60_000;
  await read("wallet");
  expect(requests, "the cache expires after a minute").toHaveLength(6);
});

test("stops at 200 items and reports an incomplete history", async () => {
  const { read, requests } = createService(1_000);
  for (let i = 0; i < 10; i++) await read("wallet");
  expect(requests).toHaveLength(4);
  const history = await read("wallet");
  expect(history).toMatchObject({ isComplete: false });
  expect(history.items).toHaveLength(200);
});

test("stops reading older pages while few calls are left", async () => {
  const { read, requests, state } = createService(180);
  await read("wallet");
  state.isNearlyUsedUp = true;
  expect(await read("wallet")).toMatchObject({ isComplete: false });
  expect(requests).toHaveLength(1);
});

test("the history keeps known items and skips pages of transactions that only mention the wallet", async () => {
  const { read, state } = createService(60);
  await readWhole(read);
  state.emptyPages = 9;
  for (let i = 0; i < 9; i++) {
    state.now += 60_000;
    expect(await read("wallet")).toMatchObject({ isComplete: true, canReadMore: true });
  }
  state.count = 61;
  expect(listNumbers(await read("wallet"))).toEqual(listNumbersDownFrom(61));
  expect(listNumbers(await read("wallet")), "the next read keeps them too").toEqual(listNumbersDownFrom(61));
});

test("the history keeps a transaction that lands while an older page is read", async () => {
  const { read, state } = createService(180);
  await read("wallet");
  const olderRead = read("wallet");
  state.count = 181;
  state.landedAt = state.now;
  state.now += 1;
  await read("wallet");
  await olderRead;
  expect(listNumbers(await readWhole(read))).toEqual(listNumbersDownFrom(181));
});

describe("after a reload", () => {
  test("reuses the stored history and reads only the newest page", async () => {
    const { read, reload, requests, state } = createService(180);
    await readWhole(read);
    requests.length = 0;
    state.count = 190;
    expect(listNumbers(await reload()("wallet"))).toEqual(listNumbersDownFrom(190));
    expect(requests).toHaveLength(1);
  });

  test.each<[string, Partial<{ network: string; count: number; text: string }>]>([
    ["of another network", { network: "mainnet-beta" }],
    ["with invalid items", { text: '{"network":"sandbox","items":[null]}' }],
    ["that is not JSON", { text: "{" }],
  ])("ignores a stored history %s", async (_caseName, { text, ...changes }) => {
    const { read, reload, state, storedTexts } = createService(120);
    await readWhole(read);
    Object.assign(state, changes);
    if (text) storedTexts.set("wallet", text);
    expect((await reload()("wallet")).items).toHaveLength(50);
  });

  const [amount] = EXAMPLE.amounts;
  test.each([
    ...Object.keys(EXAMPLE).flatMap((name) => [{ [name]: undefined }, { [name]: {} }]),
    ...Object.keys(amount!).flatMap((name) =>
      [undefined, {}].map((value) => ({ amounts: [{ ...amount, [name]: value }] })),
    ),
    { tokenAccountDepositLamports: 0.5 },
    { amounts: [{ ...amount, amount: "1e9" }] },
    { time: "soon" },
  ])("ignores a stored history with an item changed by %j", async (invalidFields) => {
    const { read, reload, storedTexts } = createService(120);
    await readWhole(read);
    const stored = JSON.parse(storedTexts.get("wallet")!);
    stored.items[119] = { ...stored.items[119], ...invalidFields };
    storedTexts.set("wallet", JSON.stringify(stored));
    expect((await reload()("wallet")).items).toHaveLength(50);
  });

  test("stores and restores at most the newest 1,000 items", async () => {
    const { read, reload, state, storedTexts } = createService(200);
    await readWhole(read);
    while (state.count < 1_400) {
      state.count += 40;
      state.now += 60_000;
      await read("wallet");
    }
    const { items, nextBefore } = JSON.parse(storedTexts.get("wallet")!);
    expect([items.length, nextBefore]).toEqual([1_000, "401"]);
    expect(storedTexts.get("wallet")!.length).toBeLessThan(700_000);
    const tooManyItems = Array.from({ length: 2_000 }, (_, i) => ({ ...EXAMPLE, txSignature: `${1_400 - i}` }));
    storedTexts.set("wallet", JSON.stringify({ network: "sandbox", items: tooManyItems, nextBefore: null }));
    expect(await reload()("wallet")).toMatchObject({ items: { length: 1_000 }, isComplete: false });
  });

  test("shows the stored history until newer pages connect to it", async () => {
    const { read, reload, state } = createService(60);
    await readWhole(read);
    state.count = 180;
    const readAfterReload = reload();
    expect(listNumbers(await readAfterReload("wallet"))).toEqual(listNumbersDownFrom(60));
    await readAfterReload("wallet");
    expect(listNumbers(await readAfterReload("wallet"))).toEqual(listNumbersDownFrom(180));
    state.count = 500;
    const readAfterGap = reload();
    for (let i = 0; i < 3; i++) expect(listNumbers(await readAfterGap("wallet"))).toEqual(listNumbersDownFrom(180));
    expect(listNumbers(await readAfterGap("wallet")), "the newest 200").toEqual(listNumbersDownFrom(500).slice(0, 200));
  });

  test("reads items again that had no price or no details", async () => {
    const { read, reload, state } = createService(180);
    state.unvalued.add(100);
    await readWhole(read);
    state.unvalued.clear();
    const history = await readWhole(reload());
    expect(history.items.every(({ usdValue }) => usdValue === 1)).toBe(true);
    expect(listNumbers(history)).toEqual(listNumbersDownFrom(180));
  });
});
