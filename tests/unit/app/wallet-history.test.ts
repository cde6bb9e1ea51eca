import { describe, expect, test } from "vitest";
import { createHistoryReader, type WalletHistory } from "@/app/_client/queries/wallet-history";
import { getActivityContract } from "@/lib/contracts/get-activity";

const EXAMPLE = getActivityContract.exampleAnswer.items[0]!;

/** A fake service that logs its requests. `reload` returns the reader of a newly loaded page. */
function createService(transactionCount: number) {
  const requests: string[] = [];
  const state = { transactionCount, nowMs: 1_000, landedAtMs: 0, network: "sandbox" };
  const storedTexts = new Map<string, string>();
  const readPage = async (path: string) => {
    requests.push(path);
    const cursor = new URL(path, "https://roundup.example").searchParams.get("before");
    const before = cursor === null ? state.transactionCount + 1 : Number(cursor);
    const numbers = Array.from({ length: Math.min(50, before - 1) }, (_, i) => before - 1 - i);
    const last = numbers.at(-1) ?? 1;
    return {
      walletAddress: "wallet",
      network: state.network,
      items: numbers.map((number) => ({ ...EXAMPLE, txSignature: String(number), usdValue: 1 })),
      nextBefore: last > 1 ? String(last) : null,
    } as never;
  };
  const createReader = () =>
    createHistoryReader({
      readPage,
      storage: { read: (key) => storedTexts.get(key) ?? null, write: (key, text) => void storedTexts.set(key, text) },
      readClock: () => state.nowMs,
      getLastLandingTime: () => state.landedAtMs,
      isNearlyUsedUp: () => false,
    });
  return { read: createReader(), reload: createReader, requests, state, storedTexts };
}

const listNumbers = ({ items }: WalletHistory) => items.map(({ txSignature }) => Number(txSignature));
const listNumbersDownFrom = (count: number) => Array.from({ length: count }, (_, i) => count - i);

async function readWhole(read: (address: string) => Promise<WalletHistory>): Promise<WalletHistory> {
  let history = await read("wallet");
  while (!history.isComplete) history = await read("wallet");
  return history;
}

test("each read continues with the next older page, and the history has each transaction once", async () => {
  const { read, requests, state } = createService(180);
  await read("wallet");
  state.transactionCount = 183;
  state.landedAtMs = state.nowMs;
  state.nowMs += 10_000;
  expect(listNumbers(await readWhole(read))).toEqual(listNumbersDownFrom(183));
  expect(requests).toHaveLength(5);
  const requestedAt = state.nowMs;
  state.nowMs += 30_000;
  expect(await read("wallet"), "is as old as its newest page").toMatchObject({ requestedAt });
  expect(requests, "a complete history is cached").toHaveLength(5);
  state.nowMs += 60_000;
  await read("wallet");
  expect(requests, "the cache expires after a minute").toHaveLength(6);
});

test("the history keeps a transaction that lands while an older page is read", async () => {
  const { read, state } = createService(180);
  await read("wallet");
  const olderRead = read("wallet");
  state.transactionCount = 181;
  state.landedAtMs = state.nowMs;
  state.nowMs += 1;
  await read("wallet");
  await olderRead;
  expect(listNumbers(await readWhole(read))).toEqual(listNumbersDownFrom(181));
});

describe("after a reload", () => {
  test.each<[string, Partial<{ network: string; text: string }>]>([
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

  test("shows the stored history until newer pages connect to it", async () => {
    const { read, reload, state } = createService(60);
    await readWhole(read);
    state.transactionCount = 180;
    const readAfterReload = reload();
    expect(listNumbers(await readAfterReload("wallet"))).toEqual(listNumbersDownFrom(60));
    await readAfterReload("wallet");
    expect(listNumbers(await readAfterReload("wallet"))).toEqual(listNumbersDownFrom(180));
    state.transactionCount = 500;
    const readAfterGap = reload();
    for (let i = 0; i < 3; i++) expect(listNumbers(await readAfterGap("wallet"))).toEqual(listNumbersDownFrom(180));
    expect(listNumbers(await readAfterGap("wallet")), "the newest 200").toEqual(listNumbersDownFrom(500).slice(0, 200));
  });
});
