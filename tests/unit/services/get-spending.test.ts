import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { createThroughMark, formatMark } from "@/lib/domain/marks";
import { fillLink } from "@/lib/domain/signed-texts";
import { STORE_KEYS } from "@/lib/domain/store-keys";
import { DAY_MS } from "@/lib/domain/time";
import type { Caller } from "@/lib/ports/request-context";
import { deriveWallet } from "@/lib/services/derive-wallet";
import { readClaim, toClaimKey } from "@/lib/services/records/claim-records";
import { buildMemo } from "@/lib/solana/memo";
import { NATIVE_MINT } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { FEE_COLLECTORS, failCalls } from "../../support/fakes/fake-deps";
import { signText, type TestWallet, toTestWallet } from "../../support/fixtures/test-wallets";
import { LINK_TEXT } from "../../support/fixtures/wallet-texts";
import { buildTransaction, stranger, user } from "../../support/worlds/relay-rig";
import { type Batch, createTokenPayment, type SpendingWorld, stageSpending } from "../../support/worlds/spending-world";

/** A batch of these values without small payments. */
const createBatch = (txValuesUsd: number[], through: string, after = "none"): Batch => {
  return { txValuesUsd, small: { count: 0, sumUsd: 0 }, through, after };
};
/** More transactions than two answers can list. */
const FLOOD_COUNT = 16_500;
const otherWallet = toTestWallet("other wallet");
let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

/** Creates the figures of a SOL payment to another wallet. */
const createSolPayment = (lamports: bigint) => ({
  accountKeys: [user.address, stranger.address],
  preBalances: [10n ** 12n, 0n],
  postBalances: [10n ** 12n - lamports - 5_000n, lamports],
  movements: [{ from: user.address, to: stranger.address, lamports }],
});

/** Makes the node lack a transaction that it lists. Returns a function that restores it. */
function hide(signature: string): () => void {
  const { transactions } = world.deps.chain;
  const figures = transactions.get(signature)!;
  transactions.delete(signature);
  return () => void transactions.set(signature, figures);
}

/** Reads until an answer is complete. */
async function readAll() {
  let answer = await world.readSpending();
  while (!answer.isComplete) answer = await world.readSpending();
  return answer;
}

const listNodeCalls = () => world.deps.calls.filter(({ port, method }) => port === "rpc" && method !== "invalidate");

describe("getSpending", () => {
  test("lists payments newest first but batches them oldest first", async () => {
    const [firstPayment, secondPayment] = [world.pay(27.63), world.pay(4.2)];
    const { items, batches, savedThrough, nextBefore } = await world.readSpending();
    expect(items.map(({ txSignature, usdValue, estimated }) => [txSignature, usdValue, estimated])).toEqual([
      [secondPayment, 4.2, false],
      [firstPayment, 27.63, false],
    ]);
    expect(items[0]!.amounts).toMatchObject([{ asset: "USDC", amount: "-4200000", change: -4.2 }]);
    expect(batches).toEqual([createBatch([27.63, 4.2], secondPayment)]);
    expect([savedThrough, nextBefore]).toEqual([null, null]);
  });

  test("reads a transaction without a payment only once", async () => {
    for (let i = 0; i < 46; i++) world.addTransaction({ signers: [stranger.address] });
    const firstAnswer = await world.readSpending();
    world.deps.calls.length = 0;
    expect(await world.readSpending()).toEqual({ ...firstAnswer, nextBefore: null });
    expect(listNodeCalls().map(({ method }) => method)).toEqual(["readSignatures", "readSignatures", "readAccountsAt"]);
  });

  test("counts the transactions that it leaves out by reason", async () => {
    world.addTransaction({}, { error: "AccountInUse" });
    world.addTransaction(createSolPayment(1n));
    world.addTransaction(createTokenPayment(1_000_001_000_000n));
    const unpricedMint = toTestWallet("a coin without a price").address;
    world.addTransaction(createTokenPayment(5n, unpricedMint));
    world.deps.mintPrices = { [unpricedMint]: null };
    world.addTransaction({ signers: [stranger.address] });
    const { items, leftOut, batches } = await world.readSpending();
    expect([items, batches]).toEqual([[], []]);
    expect(leftOut.every(({ count }) => count === 1)).toBe(true);
    const reasons = leftOut.map(({ reason }) => reason).sort();
    expect(reasons).toEqual(["failed", "nothing_sent", "too_large", "unpriced", "worthless"]);
  });

  test("lists every payment of at least a micro-dollar, and batches the small ones once they reach a dollar", async () => {
    world.pay(0.000001);
    for (let i = 0; i < 33; i++) world.pay(0.03);
    const { items, leftOut, batches } = await readAll();
    expect([items[0]!.usdValue, leftOut, batches]).toEqual([0.03, [], []]);
    const through = world.pay(0.009999);
    expect((await readAll()).batches).toEqual([
      { txValuesUsd: [1], small: { count: 35, sumUsd: 1 }, through, after: "none" },
    ]);
    world.pay(5.2);
    const last = world.pay(0.5);
    const batch = { txValuesUsd: [6.7], small: { count: 36, sumUsd: 1.5 }, through: last, after: "none" };
    expect((await readAll()).batches).toEqual([batch]);
    expect(await world.postAndFindError((await world.buildSaving(batch))!)).toBeNull();
    expect(await readAll()).toMatchObject({ items: [], batches: [], savedThrough: last });
  });

  test.each<[string, Caller, TestWallet, boolean]>([
    ["the wallet itself", { kind: "wallet", wallet: user.address }, user, true],
    ["its payee", { kind: "wallet", wallet: stranger.address }, stranger, false],
    ["another wallet", { kind: "wallet", wallet: otherWallet.address }, otherWallet, false],
    ["a static key that names the wallet as owner", { kind: "static-key", wallet: null, keyId: "0" }, user, false],
  ])("takes a transfer into a service wallet that %s registered for a saving: %s", async (_, caller, owner, isOwn) => {
    const receiver = owner === stranger ? otherWallet : stranger;
    const payment = createTokenPayment(5_370_000n);
    for (const balance of payment.postTokenBalances!)
      if (balance.owner !== user.address) balance.owner = receiver.address;
    const proof = signText(receiver, fillLink(LINK_TEXT, owner.address, receiver.address));
    const named = caller.wallet === null ? { wallet: owner.address } : {};
    const context = { caller, walletHeader: null, hasStaticKey: () => false };
    await deriveWallet(world.deps, { publicKey: receiver.address, proof, ...named }, context);
    world.addTransaction(payment);
    const { batches, leftOut } = await world.readSpending();
    expect(batches.flatMap(({ txValuesUsd }) => txValuesUsd)).toEqual(isOwn ? [] : [5.37]);
    expect(leftOut).toEqual(isOwn ? [{ reason: "own_service_wallet", count: 1 }] : []);
  });

  /** Creates the figures of 3.30 USDC that a stranger pulled as the delegate, for which the wallet got one coin. */
  const createPull = (gainedMint: string) => {
    const payment = createTokenPayment(3_300_000n);
    const gain = { accountIndex: 3, mint: gainedMint, owner: user.address, amount: 1n, decimals: 0 };
    return {
      ...payment,
      accountKeys: [stranger.address, "own account", "other account", "coin account", user.address],
      preBalances: [10_000n, 1n, 1n, 1n, 1n],
      postBalances: [5_000n, 1n, 1n, 1n, 1n],
      postTokenBalances: [...payment.postTokenBalances!, gain],
      signers: [stranger.address],
      tokenMovements: [{ source: "own account", destination: "shop", authority: stranger.address, amount: 1n }],
    };
  };

  test("lists dollars that a delegate pulled, unless the wallet got a coin with a price for them", async () => {
    const [points, coin, unreadable] = ["points", "coin", "unreadable"].map((name) => toTestWallet(name).address);
    world.deps.mintPrices = { [points!]: null, [coin!]: 0.01 };
    const pull = world.addTransaction(createPull(points!));
    world.addTransaction(createPull(coin!));
    const answer = await world.readSpending();
    expect(answer.items).toMatchObject([{ txSignature: pull, usdValue: 3.3, pulled: { by: stranger.address } }]);
    expect(answer.leftOut).toEqual([{ reason: "swap", count: 1 }]);
    expect(answer.batches).toEqual([createBatch([3.3], pull)]);
    expect(await world.buildSaving(answer.batches[0]!)).not.toBeNull();
    await world.deps.clock.advance(400);
    world.addTransaction(createPull(unreadable!));
    world.deps.beforeCall = failCalls("prices");
    expect(await world.readSpending()).toMatchObject({ isComplete: false, leftOut: answer.leftOut });
  });

  test("counts a payment that comes together with dust if it is at least one dollar", async () => {
    const createPaymentWithDust = (amount: bigint) => {
      const payment = createTokenPayment(amount);
      const dust = { accountIndex: 3, mint: ASSETS.USDT.mint, owner: user.address, amount: 9_999n, decimals: 6 };
      return {
        accountKeys: [...payment.accountKeys!, "dust account"],
        preBalances: [...payment.preBalances!, 1n],
        postBalances: [...payment.postBalances!, 1n],
        preTokenBalances: payment.preTokenBalances!,
        postTokenBalances: [...payment.postTokenBalances!, dust],
      };
    };
    world.addTransaction(createPaymentWithDust(999_999n));
    const payment = world.addTransaction(createPaymentWithDust(1_000_000n));
    world.deps.beforeCall = failCalls("prices");
    expect(await world.readSpending()).toMatchObject({ items: [], leftOut: [], batches: [] });
    world.deps.beforeCall = () => {};
    const { items, leftOut, batches } = await world.readSpending();
    expect(items.map(({ usdValue }) => usdValue)).toEqual([1]);
    expect([leftOut, batches]).toEqual([[{ reason: "swap", count: 1 }], [createBatch([1], payment)]]);
  });

  test("lists no payment for wrapped SOL that reaches the own service wallet, transferred or by closing", async () => {
    const createWrappedBalance = (accountIndex: number, owner: string, amount: bigint) => {
      return { accountIndex, owner, amount, mint: NATIVE_MINT, decimals: 9 };
    };
    world.addTransaction({
      accountKeys: [user.address, "own account", "account of the service wallet"],
      preBalances: [10_000n, 502_039_280n, 2_039_280n],
      postBalances: [5_000n, 2_039_280n, 502_039_280n],
      preTokenBalances: [createWrappedBalance(1, user.address, 500_000_000n)],
      postTokenBalances: [
        createWrappedBalance(1, user.address, 0n),
        createWrappedBalance(2, world.serviceWallet, 500_000_000n),
      ],
    });
    world.addTransaction({
      accountKeys: [user.address, "own account", world.serviceWallet],
      preBalances: [10_000n, 502_039_280n, 2_000_000n],
      postBalances: [5_000n, 0n, 504_039_280n],
      preTokenBalances: [createWrappedBalance(1, user.address, 500_000_000n)],
    });
    const { items, leftOut, batches } = await world.readSpending();
    expect([items, leftOut, batches]).toEqual([[], [{ reason: "own_service_wallet", count: 2 }], []]);
  });

  test("starts 7 days ago or at the requested time", async () => {
    const oldPayment = world.addTransaction(createTokenPayment(5_370_000n), { ageMs: 8 * DAY_MS });
    const recentPayment = world.addTransaction(createTokenPayment(6_370_000n), { ageMs: 6 * DAY_MS });
    expect((await world.readSpending()).batches).toEqual([createBatch([6.37], recentPayment)]);
    const since = new Date(world.deps.clock.now() - 9 * DAY_MS).toISOString();
    const page = await world.readSpending({ since });
    expect(page.batches).toEqual([createBatch([5.37, 6.37], recentPayment)]);
    expect(page.items.at(-1)!.txSignature).toBe(oldPayment);
  });

  test("marks values of coins other than dollar tokens, at the price of the day or of today, as estimated", async () => {
    world.deps.priceHistory.readPriceAt = async (asset, time) =>
      asset === "SOL" && time < world.deps.clock.now() - DAY_MS ? 120 : null;
    world.addTransaction(createSolPayment(1_000_000_000n), { ageMs: 2 * DAY_MS });
    world.addTransaction(createSolPayment(1_000_000_000n));
    world.pay(2.5);
    const { items } = await world.readSpending();
    expect(items.map(({ usdValue, estimated }) => [usdValue, estimated])).toEqual([
      [2.5, false],
      [150, true],
      [120, true],
    ]);
  });

  test("ends the batches before a payment that cannot be read or valued yet", async () => {
    world.pay(1.5);
    world.addTransaction(createSolPayment(1_000_000_000n));
    world.pay(2.5);
    world.deps.beforeCall = failCalls("prices");
    expect((await world.readSpending()).items.map(({ usdValue }) => usdValue)).toEqual([null, null, null]);
    world.deps.beforeCall = () => {};
    const restore = hide(world.pay(3.5));
    const lastPayment = world.pay(4.5);
    expect((await world.readSpending()).batches.map(({ txValuesUsd }) => txValuesUsd)).toEqual([[1.5, 150, 2.5]]);
    restore();
    const { batches } = await world.readSpending();
    expect(batches).toEqual([createBatch([1.5, 150, 2.5, 3.5, 4.5], lastPayment)]);
  });

  test("never ends a batch inside a slot", async () => {
    const payInSlot = (usd: number) => world.addTransaction(createTokenPayment(BigInt(usd * 1e6)));
    const earlyPayment = world.pay(1.5);
    world.pay(2.5);
    const restore = hide(payInSlot(3.5));
    payInSlot(4.5);
    expect((await world.readSpending()).batches).toEqual([createBatch([1.5], earlyPayment)]);
    restore();
    expect((await world.readSpending()).batches).toMatchObject([{ txValuesUsd: [1.5, 2.5, 3.5, 4.5] }]);

    for (let i = 0; i < 495; i++) world.pay(5.5);
    world.pay(6.5);
    const newest = payInSlot(7.5);
    const [firstBatch, secondBatch] = (await readAll()).batches;
    expect(firstBatch!.txValuesUsd).toHaveLength(499);
    expect(secondBatch).toEqual(createBatch([6.5, 7.5], newest, firstBatch!.through));
  });

  test("leaves out a payment that no node could read for a day, and names it", async () => {
    hide(world.pay(3.5));
    const lastPayment = world.pay(4.5);
    await world.deps.clock.advance(DAY_MS - 60_000);
    expect(await world.readSpending()).toMatchObject({ batches: [], leftOut: [] });
    await world.deps.clock.advance(120_000);
    expect(await world.readSpending()).toMatchObject({
      batches: [{ txValuesUsd: [4.5], through: lastPayment, after: "none" }],
      leftOut: [{ reason: "unreadable", count: 1 }],
    });
  });

  test("makes at most 60 node calls an answer until batches of up to 500 hold all payments", async () => {
    const payments = Array.from({ length: 1_200 }, (_, i) => world.pay(i + 1.5));
    for (let answerCount = 0; ; answerCount++) {
      world.deps.calls.length = 0;
      const { batches, items, nextBefore } = await world.readSpending();
      expect(listNodeCalls().length).toBeLessThanOrEqual(60);
      expect([items.length, nextBefore]).toEqual([20, payments.at(-20)]);
      expect(batches[0]!.txValuesUsd.slice(0, 3)).toEqual([1.5, 2.5, 3.5]);
      if (batches.at(-1)!.through === payments.at(-1)) {
        expect(batches.map(({ txValuesUsd }) => txValuesUsd.length)).toEqual([500, 500, 200]);
        break;
      }
      expect(answerCount).toBeLessThan(40);
    }
  });

  const landPayment = async (usd: number) => {
    await world.deps.clock.advance(400);
    const signature = world.pay(usd);
    await world.deps.clock.advance(400);
    return signature;
  };
  /** Adds transactions. One in `readEvery` has to be read. The listing shows that the others have failed. */
  const addOtherTransactions = (count: number, readEvery = 40) => {
    for (let i = 0; i < count; i++) world.addTransaction({}, i % readEvery ? { error: "InstructionError" } : {});
  };

  test("finds a saving that the wallet broadcast itself, behind 9,000 other transactions", async () => {
    await landPayment(1.1);
    const through = await landPayment(2.2);
    addOtherTransactions(9_000, 4);
    let batches: Batch[] = [];
    for (let answerCount = 0; batches.length === 0 && answerCount < 20; answerCount++)
      ({ batches } = await world.readSpending());
    expect(batches[0]).toEqual(createBatch([1.1, 2.2], through));
    const bytes = (await world.buildSaving(batches[0]!))!;
    await world.deps.rpc.send(bytes);
    for (let answerCount = 0; answerCount < 20; answerCount++) expect((await world.readSpending()).batches).toEqual([]);
    expect(await world.readSpending()).toMatchObject({ savedThrough: through });
  });

  test("lists each payment once over several calls if one answer cannot hold them", async () => {
    const valuesUsd = [1.1, 2.2, 3.3, 4.4];
    await landPayment(1.1);
    await landPayment(2.2);
    addOtherTransactions(FLOOD_COUNT);
    await landPayment(3.3);
    addOtherTransactions(700);
    await landPayment(4.4);
    const savedValuesUsd: number[] = [];
    for (let answerCount = 0; savedValuesUsd.length < valuesUsd.length; answerCount++) {
      expect(answerCount, "all payments are listed").toBeLessThan(60);
      world.deps.calls.length = 0;
      const { batches, items } = await world.readSpending();
      expect(listNodeCalls().length).toBeLessThanOrEqual(60);
      expect(items[0]?.usdValue ?? null).toBe(4.4);
      if (answerCount === 5) addOtherTransactions(10);
      for (const batch of batches) {
        const bytes = await world.buildSaving(batch);
        if (bytes) expect(await world.postAndFindError(bytes)).toBeNull();
        savedValuesUsd.push(...batch.txValuesUsd);
      }
    }
    expect(savedValuesUsd).toEqual(valuesUsd);
  });

  test.each([7, 20])(
    "continues within its 60 calls although %i forged memos arrive between two answers",
    async (forgedCount) => {
      await landPayment(1.1);
      const through = await landPayment(2.2);
      addOtherTransactions(FLOOD_COUNT);
      const addForgedMemos = () => {
        const markMemo = { memo: `[100] ${formatMark(createThroughMark(through, "none"))}` };
        for (let i = 0; i < forgedCount; i++) world.addTransaction({ signers: [stranger.address] }, markMemo);
      };
      for (let answerCount = 1; ; answerCount++) {
        addForgedMemos();
        // Once, more than a page of other transactions arrives too.
        if (answerCount === 3) addOtherTransactions(1_200);
        world.deps.calls.length = 0;
        const { batches, isComplete } = await world.readSpending();
        expect(listNodeCalls().length).toBeLessThanOrEqual(60);
        expect(isComplete).toBe(false);
        if (batches.length > 0) {
          expect(batches).toEqual([createBatch([1.1, 2.2], through)]);
          break;
        }
        expect(answerCount).toBeLessThan(9);
      }
    },
  );
});

/** A transfer of this many million lamports to the payee, or the mark. */
type Step = [payee: "service" | "collector" | "shop" | "itself", millionLamports: bigint] | "mark";
const FEE: Step = ["collector", 1n];
const REFUSED = "invalid_transaction";

const THROUGH_MARK = { wallet: user.address, mark: createThroughMark("", "none") };

describe("a mark", () => {
  const saveAll = async () => {
    const { batches } = await world.readSpending();
    for (const batch of batches) expect(await world.postAndFindError((await world.buildSaving(batch))!)).toBeNull();
  };

  const loseClaimRecords = async () => {
    for (const key of [toClaimKey(THROUGH_MARK), STORE_KEYS.markSearch.toKey(user.address)])
      await world.deps.kv.delete(key);
  };

  /** Each row: what the wallet signs, whether its mark is valid on the chain, and the code with which execute refuses. */
  test.each<[string, Step[], boolean, string | null]>([
    ["a saving", [FEE, "mark", ["service", 9n]], true, null],
    ["a saving after a payment that looks like one", [FEE, ["shop", 9n], FEE, "mark", ["service", 9n]], true, null],
    ["a fee that comes last", [["service", 9n], "mark", FEE], true, null],
    ["a fee apart from its saving", [["service", 9n], "mark", ["shop", 1n], FEE], true, null],
    ["no transfers", ["mark"], false, null],
    ["a payment to a shop, and to a collector", [["shop", 9n], FEE, "mark"], true, REFUSED],
    ["a saving of nothing", [["service", 0n], FEE, "mark"], true, REFUSED],
    ["a transfer to itself", [["itself", 9n], FEE, "mark"], true, REFUSED],
    ["a fee alone", [["collector", 9n], FEE, "mark"], true, REFUSED],
    ["two marks", [["service", 9n], FEE, "mark", "mark"], true, REFUSED],
  ])(
    "together with %s is valid only if a collector is paid, and is relayed only together with one saving",
    async (_caseName, steps, isValidMark, refusalCode) => {
      const stageTransaction = async () => {
        world = await stageSpending();
        const through = world.pay(27.63);
        const mark = buildMemo(formatMark(createThroughMark(through, "none")), user.address);
        const payees = {
          service: world.serviceWallet,
          collector: FEE_COLLECTORS[0]!,
          shop: stranger.address,
          itself: user.address,
        };
        const instructions = steps.map((step) =>
          step === "mark" ? mark : buildSystemTransfer(user.address, payees[step[0]], step[1] * 1_000_000n),
        );
        const { blockhash } = world.deps.chain.getLatestBlockhash();
        return { through, bytes: buildTransaction(instructions, [user], blockhash) };
      };
      const broadcastSaving = await stageTransaction();
      await world.deps.rpc.send(broadcastSaving.bytes);
      expect(await world.readSpending()).toMatchObject({ savedThrough: isValidMark ? broadcastSaving.through : null });
      const postedSaving = await stageTransaction();
      expect(await world.postAndFindError(postedSaving.bytes)).toBe(refusalCode);
      expect((await readClaim(world.deps, THROUGH_MARK))?.saved?.value ?? null).toBe(
        isValidMark && refusalCode === null ? postedSaving.through : null,
      );
    },
  );

  test.each(["before", "after"])(
    "counts even if the store lost the service wallet's record %s the saving",
    async (moment) => {
      const through = world.pay(27.63);
      const loseWalletRecords = async () => {
        await world.deps.kv.delete(`service-wallet:${world.serviceWallet}`);
        await world.deps.kv.delete(`marked-into:${user.address}:${world.serviceWallet}`);
      };
      if (moment === "before") await loseWalletRecords();
      await saveAll();
      await loseClaimRecords();
      if (moment === "after") await loseWalletRecords();
      expect(await world.readSpending()).toMatchObject({ savedThrough: through, batches: [] });
    },
  );

  test("is found behind 60 forged memos before any batch is offered", async () => {
    const through = world.pay(27.63);
    await saveAll();
    const markMemo = { memo: `[100] ${formatMark(createThroughMark(through, "none"))}` };
    const mark = { wallet: stranger.address, mark: createThroughMark(through, "none") };
    for (let i = 0; i < 60; i++) world.addTransaction({ signers: [stranger.address], marks: [mark] }, markMemo);
    const laterPayment = world.pay(4.2);
    await loseClaimRecords();
    for (let answerCount = 0; answerCount < 2; answerCount++)
      expect(await world.readSpending()).toMatchObject({ savedThrough: null, batches: [], isComplete: false });
    // The answer is complete only after the forged transactions have been read as possible payments.
    expect(await world.readSpending()).toMatchObject({ savedThrough: through, batches: [], isComplete: false });
    const batches = [createBatch([4.2], laterPayment, through)];
    expect(await world.readSpending()).toMatchObject({ savedThrough: through, isComplete: true, batches });
  });
});
