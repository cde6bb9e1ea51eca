import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { getActivityContract } from "../../../lib/contracts/get-activity";
import type { TransactionFigures } from "../../../lib/domain/activity";
import { ASSETS } from "../../../lib/domain/assets";
import type { HistoryEntry } from "../../../lib/ports/solana-rpc";
import { getActivity } from "../../../lib/services/get-activity";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, type FakeDeps, failCalls, listCalls } from "../../support/fakes/fake-deps";
import { NO_TOKENS } from "../../support/fixtures/no-instructions";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const ME = toTestWallet("me").address;
const OTHER = toTestWallet("other").address;

const readPage = (deps: FakeDeps, query: object = {}) =>
  callService(getActivityContract, getActivity, deps, { address: ME, ...query });

/** Creates a well-formed signature. Each index gives a different one. */
const createSignature = (i: number) =>
  bs58.encode(Uint8Array.from({ length: 64 }, (_, byteIndex) => (byteIndex === 63 ? i : 1)));

const createEntry = (i: number): HistoryEntry => {
  return { signature: createSignature(i), slot: 1_000 - i, blockTime: 1_790_000_000 - i, error: null, memo: null };
};

/** Creates the figures of a payment of these lamports from OTHER to ME. With 0, the transaction only names ME. */
function createPayment(lamports: bigint): TransactionFigures {
  return {
    accountKeys: [OTHER, ME],
    preBalances: [10n ** 9n, 0n],
    postBalances: [10n ** 9n - lamports - 5_000n, lamports],
    ...NO_TOKENS,
  };
}

/** Stages a history, newest first, of payments of these lamports. The node no longer has a payment that is null. */
function stageHistory(payments: (bigint | null)[]): FakeDeps {
  const deps = createFakeDeps();
  const entries = payments.map((_, i) => createEntry(i));
  deps.chain.history.set(ME, entries);
  for (const [i, lamports] of payments.entries()) {
    if (lamports !== null) deps.chain.transactions.set(createSignature(i), createPayment(lamports));
  }
  return deps;
}

test.each(["readSignatures", "getMany"])("a failing %s is an error, never an empty history", async (failingMethod) => {
  const deps = stageHistory([1n]);
  deps.beforeCall = failCalls(failingMethod);
  await expect(readPage(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
});

test("a transaction that the node no longer has is listed with null instead of guessed values", async () => {
  const deps = stageHistory([null]);
  deps.chain.history.set(ME, [{ ...createEntry(0), error: "AccountInUse", blockTime: null }]);
  const [item] = (await readPage(deps)).items;
  expect(item).toMatchObject({ type: "other", status: "failed", slot: 1_000, time: null, amounts: [] });
  expect(item).toMatchObject({ networkFeeLamports: null, serviceFeeLamports: null, usdValue: null, priceUsd: null });
});

describe("transactions that only name the wallet", () => {
  test("are left out of a page, which is filled with older ones", async () => {
    const deps = stageHistory([1n, 0n, 0n, 2n, 3n]);
    const { items, nextBefore } = await readPage(deps, { limit: 2 });
    expect(items.map(({ amounts }) => amounts[0]?.amount)).toEqual(["1", "2"]);
    expect(nextBefore).toBe(createSignature(3));
    const nextPage = await readPage(deps, { limit: 2, before: nextBefore });
    expect(nextPage.items.map(({ amounts }) => amounts[0]?.amount)).toEqual(["3"]);
    expect(nextPage.nextBefore).toBeNull();
  });

  test.each([1, 5, 50])("cost a page of %i at most 60 calls", async (limit) => {
    const deps = stageHistory([...Array.from({ length: 60 }, () => 0n), 7n]);
    const { items, nextBefore } = await readPage(deps, { limit });
    expect(items).toEqual([]);
    expect(listCalls(deps).filter((name) => name.startsWith("rpc.")).length).toBeLessThanOrEqual(60);
    expect(nextBefore).toBe(createSignature(51));
    expect((await readPage(deps, { limit, before: nextBefore })).items).toHaveLength(1);
  });
});

test("a transaction that the service did not relay has no value if the price of one of its tokens is unknown", async () => {
  const deps = stageHistory([1n]);
  const receivedTokens = { accountIndex: 2, mint: ASSETS.ETH.mint, owner: ME, amount: 5_000_000n, decimals: 8 };
  const payment = { ...createPayment(1_000_000_000n), postTokenBalances: [receivedTokens] };
  deps.chain.transactions.set(createSignature(0), payment);
  const day = { time: createEntry(0).blockTime! * 1000, source: "pyth" };
  deps.dailyPrices = [{ ...day, usd: { SOL: 100, ETH: 100 } }];
  expect((await readPage(deps)).items).toMatchObject([{ usdValue: 105, estimated: true, priceUsd: null }]);
  deps.dailyPrices = [{ ...day, usd: { SOL: 100 } }];
  expect((await readPage(deps)).items).toMatchObject([{ usdValue: null, estimated: false, priceUsd: null }]);
});
