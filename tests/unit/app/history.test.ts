import { describe, expect, test } from "vitest";
import { createHistoryReader, type History } from "@/app/_client/queries/history";
import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { getActivityContract } from "@/lib/contracts/get-activity";

const EXAMPLE = getActivityContract.exampleAnswer.items[0]!;

/**
 * A fake service whose wallet has `count` transactions, newest first, with a request log. `reload` simulates a page
 * load.
 */
function service(count: number) {
  const requests: string[] = [];
  const state = {
    count,
    naming: 0,
    now: 1_000,
    landedAt: 0,
    short: false,
    network: "sandbox",
    unvalued: new Set<number>(),
  };
  const kept = new Map<string, string>();
  const get = async (path: string) => {
    requests.push(path);
    const { searchParams } = new URL(path, "https://roundup.example");
    const cursor = searchParams.get("before");
    const named = cursor === null ? 0 : Number(/^naming (\d+)$/.exec(cursor)?.[1] ?? state.naming);
    // This many pages of transactions that only mention the wallet are empty.
    if (named < state.naming) return { network: state.network, items: [], nextBefore: `naming ${named + 1}` } as never;
    const before = Number(cursor?.startsWith("naming") ? state.count + 1 : (cursor ?? state.count + 1));
    const numbers = Array.from({ length: Math.min(50, before - 1) }, (_, i) => before - 1 - i);
    const last = numbers.at(-1) ?? 1;
    return {
      walletAddress: "wallet",
      network: state.network,
      items: numbers.map((number) => ({
        ...EXAMPLE,
        ...{ txSignature: String(number), usdValue: state.unvalued.has(number) ? null : 1 },
      })),
      nextBefore: last > 1 ? String(last) : null,
    } as never;
  };
  const reload = () =>
    createHistoryReader({
      get,
      storage: { read: (key) => kept.get(key) ?? null, write: (key, text) => void kept.set(key, text) },
      now: () => state.now,
      getLastLanding: () => state.landedAt,
      isNearlyUsedUp: () => state.short,
    });
  return { read: reload(), reload, requests, state, kept };
}

const numbersOf = ({ items }: History) => items.map(({ txSignature }: ActivityItem) => Number(txSignature));
const downFrom = (count: number) => Array.from({ length: count }, (_, i) => count - i);

/** Reads until no more pages can be read. */
async function whole(read: (address: string) => Promise<History>): Promise<History> {
  let history = await read("wallet");
  while (!history.complete) history = await read("wallet");
  return history;
}

test("reads one page in one view, however long the history is", async () => {
  const { read, requests } = service(180);
  expect(await read("wallet")).toMatchObject({ complete: false });
  expect(requests).toHaveLength(1);
});

test("continues with the next older page on each read and returns each transaction once", async () => {
  const { read, requests, state } = service(180);
  await read("wallet");
  state.count = 183;
  state.landedAt = state.now;
  state.now += 10_000;
  expect(numbersOf(await whole(read))).toEqual(downFrom(183));
  expect(requests).toHaveLength(5);
  await read("wallet");
  expect(requests, "what is whole is not read again").toHaveLength(5);
  state.now += 60_000;
  await read("wallet");
  expect(requests, "until a minute has passed").toHaveLength(6);
});

test("stops at 200 items and reports an incomplete history", async () => {
  const { read, requests } = service(1_000);
  for (let i = 0; i < 10; i++) await read("wallet");
  expect(requests).toHaveLength(4);
  const history = await read("wallet");
  expect(history).toMatchObject({ complete: false });
  expect(history.items).toHaveLength(200);
});

test("stops reading older pages while few calls are left", async () => {
  const { read, requests, state } = service(180);
  await read("wallet");
  state.short = true;
  expect(await read("wallet")).toMatchObject({ complete: false });
  expect(requests).toHaveLength(1);
});

test("keeps known items and skips pages of transactions that only mention the wallet", async () => {
  const { read, state } = service(60);
  await whole(read);
  state.naming = 9;
  for (let i = 0; i < 9; i++) {
    state.now += 60_000;
    expect(await read("wallet")).toMatchObject({ complete: true, canReadMore: true });
  }
  state.count = 61;
  expect(numbersOf(await read("wallet"))).toEqual(downFrom(61));
  expect(numbersOf(await read("wallet")), "nor when it begins again").toEqual(downFrom(61));
});

test("keeps a transaction that lands while an older page is read", async () => {
  const { read, state } = service(180);
  await read("wallet");
  const older = read("wallet");
  state.count = 181;
  state.landedAt = state.now;
  state.now += 1;
  await read("wallet");
  await older;
  expect(numbersOf(await whole(read))).toEqual(downFrom(181));
});

describe("after a reload", () => {
  test("reuses the stored history and reads only the newest page", async () => {
    const { read, reload, requests, state } = service(180);
    await whole(read);
    requests.length = 0;
    state.count = 190;
    expect(numbersOf(await reload()("wallet"))).toEqual(downFrom(190));
    expect(requests).toHaveLength(1);
  });

  test.each<[string, Partial<{ network: string; count: number; text: string }>]>([
    ["of another chain at this address", { network: "mainnet-beta" }],
    ["that is no history", { text: '{"network":"sandbox","items":[null]}' }],
    ["that is no JSON", { text: "{" }],
  ])("a stored history %s counts as none", async (_what, { text, ...changes }) => {
    const { read, reload, state, kept } = service(120);
    await whole(read);
    Object.assign(state, changes);
    if (text) kept.set("wallet", text);
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
  ])("a stored history with an entry of %j counts as none", async (poison) => {
    const { read, reload, kept } = service(120);
    await whole(read);
    const held = JSON.parse(kept.get("wallet")!);
    held.items[119] = { ...held.items[119], ...poison };
    kept.set("wallet", JSON.stringify(held));
    expect((await reload()("wallet")).items).toHaveLength(50);
  });

  test("stores and restores at most the newest 1,000 items", async () => {
    const { read, reload, state, kept } = service(200);
    await whole(read);
    while (state.count < 1_400) {
      state.count += 40;
      state.now += 60_000;
      await read("wallet");
    }
    const { items, nextBefore } = JSON.parse(kept.get("wallet")!);
    expect([items.length, nextBefore]).toEqual([1_000, "401"]);
    expect(kept.get("wallet")!.length).toBeLessThan(700_000);
    const more = Array.from({ length: 2_000 }, (_, i) => ({ ...EXAMPLE, txSignature: `${1_400 - i}` }));
    kept.set("wallet", JSON.stringify({ network: "sandbox", items: more, nextBefore: null }));
    expect(await reload()("wallet")).toMatchObject({ items: { length: 1_000 }, complete: false });
  });

  test("shows the stored history until newer pages connect to it", async () => {
    const { read, reload, state } = service(60);
    await whole(read);
    state.count = 180;
    const again = reload();
    expect(numbersOf(await again("wallet"))).toEqual(downFrom(60));
    await again("wallet");
    expect(numbersOf(await again("wallet"))).toEqual(downFrom(180));
    state.count = 500;
    const late = reload();
    for (let i = 0; i < 3; i++) expect(numbersOf(await late("wallet"))).toEqual(downFrom(180));
    expect(numbersOf(await late("wallet")), "the newest 200").toEqual(downFrom(500).slice(0, 200));
  });

  test("reads items again that had no price or no details", async () => {
    const { read, reload, state } = service(180);
    state.unvalued.add(100);
    await whole(read);
    state.unvalued.clear();
    const history = await whole(reload());
    expect(history.items.every(({ usdValue }) => usdValue === 1)).toBe(true);
    expect(numbersOf(history)).toEqual(downFrom(180));
  });
});
