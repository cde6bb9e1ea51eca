import fc from "fast-check";
import { expect, test } from "vitest";
import { deriveDollarAccounts } from "@/lib/domain/dollar-accounts";
import type { SolanaRpc } from "@/lib/ports/solana-rpc";
import { encodeU64 } from "@/lib/solana/instructions";
import { TOKEN_PROGRAM } from "@/lib/solana/programs";
import { createOutage } from "../../../../support/fakes/fake-deps";
import { encodeTokenAccount } from "../../../../support/fixtures/token-account";
import { readErrorCode, stranger, user } from "../../../../support/worlds/relay-rig";
import { createTokenPayment, stageSpending } from "../../../../support/worlds/spending-world";

/* A wallet whose payments are spread over its own history and those of two token accounts, read from nodes that lag. */

/** The number of random histories. `npm run fuzz` sets more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const MAX_NODE_CALLS = 60;
const [USDC_ACCOUNT, USDT_ACCOUNT] = deriveDollarAccounts(user.address);
const DELEGATED_AMOUNT_OFFSET = 121;

type LaggingWorld = Awaited<ReturnType<typeof stageLaggingWorld>>;

/** Creates a world with the states of the token accounts by slot. Each call to a node sees the chain some slots ago. */
async function stageLaggingWorld() {
  const chainWorld = await stageSpending();
  const { chain, rpc, calls, clock } = chainWorld.deps;
  const states = [USDC_ACCOUNT!, USDT_ACCOUNT!].map((account) => ({
    account,
    moved: [[-1, 0n]] as [slot: number, amount: bigint | null][],
  }));
  for (const { account } of states) chain.history.set(account, []);
  let paymentCount = 0;
  const nextUsd = () => 1.5 + paymentCount++;
  const viewSlot = (minSlot: number) => Math.max(minSlot, chain.slot() - world.drawLag());
  const encodeAccount = (moved: bigint) => {
    const data = encodeTokenAccount(stranger.address, user.address, 10n ** 15n - moved);
    data.set(encodeU64(10n ** 15n - moved), DELEGATED_AMOUNT_OFFSET);
    return { lamports: 1n, owner: TOKEN_PROGRAM, data };
  };
  const readSignatures: SolanaRpc["readSignatures"] = async (address, { limit, before, until, minSlot }) => {
    // Only the list of the wallet has no `minSlot`.
    if (before !== undefined && minSlot === undefined && !world.knowsCursors) return [];
    const slot = viewSlot(minSlot ?? 0);
    const seen = (chain.history.get(address) ?? []).filter((entry) => entry.slot <= slot);
    const start = before === undefined ? 0 : seen.findIndex(({ signature }) => signature === before) + 1;
    if (before !== undefined && start === 0) return [];
    const end = until === undefined ? -1 : seen.findIndex(({ signature }) => signature === until);
    return seen.slice(start, end < 0 ? undefined : end).slice(0, limit);
  };
  const readAccountsAt: SolanaRpc["readAccountsAt"] = async (addresses, minSlot) => {
    const slot = viewSlot(minSlot);
    const readState = (address: string) => {
      const state = states.find(({ account }) => account === address);
      const [, moved = null] = state?.moved.findLast(([movedSlot]) => movedSlot <= slot) ?? [];
      return moved === null ? null : encodeAccount(moved);
    };
    return { slot, accounts: addresses.map(readState) };
  };
  const count =
    <Args extends unknown[], R>(method: string, call: (...args: Args) => R) =>
    (...args: Args) => {
      calls.push({ port: "rpc", method, args, timeMs: clock.now() });
      return call(...args);
    };
  chainWorld.deps.rpc = {
    ...rpc,
    readSignatures: count("readSignatures", readSignatures),
    readAccountsAt: count("readAccountsAt", readAccountsAt),
  };
  const findMoved = (account: string) => states.find((state) => state.account === account)!.moved;
  const setMoved = (account: string, amount: bigint | null) => {
    chainWorld.addTransaction({ accountKeys: [user.address, account], preBalances: [9n, 1n], postBalances: [4n, 1n] });
    findMoved(account).push([chain.slot(), amount]);
  };
  const world = Object.assign(chainWorld, {
    /** Draws how many slots the next node lags. */
    drawLag: (): number => 0,
    /** Whether the nodes that list the wallet's history know the transaction below which a page starts. */
    knowsCursors: true,
    /** Restores the first amount and allowance of an account, or this much more. Opens a closed one. The wallet signs. */
    restore: (account: string, extraAmount = 0n) => setMoved(account, -extraAmount),
    /** Closes an account. The wallet signs. */
    close: (account: string) => setMoved(account, null),
    /** Pulls 1.50 USD more than the payment before, from an account with this address. */
    pull(account: string): number {
      const moved = findMoved(account);
      if (moved.at(-1)![1] === null) setMoved(account, 0n);
      const usd = nextUsd();
      const amount = BigInt(usd * 1e6);
      chainWorld.addTransaction({
        ...createTokenPayment(amount),
        accountKeys: [stranger.address, account, "other account"],
        signers: [stranger.address],
        tokenMovements: [{ source: account, destination: "shop", authority: stranger.address, amount: 1n }],
      });
      moved.push([chain.slot(), moved.at(-1)![1]! + amount]);
      return usd;
    },
    /** Adds a stranger's transaction that names only this address. */
    mention(address: string): void {
      const accountKeys = [stranger.address, address];
      chainWorld.addTransaction({ accountKeys, signers: [stranger.address] }, { error: "Failed" });
    },
    payOwn(): number {
      const usd = nextUsd();
      chainWorld.pay(usd);
      return usd;
    },
  });
  return world;
}

/** Reads and saves until nothing is left. Returns the values of the saved payments, in order. */
async function saveAll(world: LaggingWorld): Promise<number[]> {
  const savedUsd: number[] = [];
  for (let answerCount = 0; ; answerCount++) {
    expect(answerCount, "all payments are saved").toBeLessThan(60);
    const { batches, isComplete } = await world.readSpending();
    if (isComplete && batches.length === 0) return savedUsd;
    savedUsd.push(...(await saveBatches(world, batches)));
  }
}

/** Saves the oldest batch, unless a node lacks its last payment. Returns the values of the saved payments. */
async function saveBatches(world: LaggingWorld, batches: Awaited<ReturnType<LaggingWorld["readSpending"]>>["batches"]) {
  const [batch] = batches;
  if (!batch) return [];
  const bytes = await world.buildSaving(batch).catch((error) => {
    if (readErrorCode(error) !== "upstream_unavailable") throw error;
    return null;
  });
  if (!bytes) return [];
  expect(await world.postAndFindError(bytes)).toBeNull();
  await world.deps.clock.advance(400);
  return batch.txValuesUsd;
}

/** Payments of one slot have no order. Every payment is larger than those before it. */
const sortUsd = (valuesUsd: number[]) => [...valuesUsd].sort((usd, otherUsd) => usd - otherUsd);

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.constant("pay" as const) },
  { weight: 4, arbitrary: fc.constantFrom("pull USDC" as const, "pull USDT" as const) },
  { weight: 2, arbitrary: fc.constantFrom("restore USDC" as const, "restore USDT" as const, "close USDT" as const) },
  { weight: 2, arbitrary: fc.constantFrom("mention" as const, "mention USDC" as const, "hide newest" as const) },
  { weight: 4, arbitrary: fc.constant("wait" as const) },
  { weight: 4, arbitrary: fc.constant("read" as const) },
  { weight: 2, arbitrary: fc.constant("save" as const) },
);

test("every payment is saved exactly once, in order, whichever history lists it and however nodes lag", async () => {
  const property = fc.asyncProperty(
    fc.array(anyStep, { minLength: 4, maxLength: 30 }),
    fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
    async (steps, lags) => {
      const world = await stageLaggingWorld();
      await world.deps.clock.advance(4_000);
      world.drawLag = () => lags.next().value;
      const [paidUsd, savedUsd]: [number[], number[]] = [[], []];
      const { transactions } = world.deps.chain;
      const hidden = new Map<string, unknown>();
      for (const step of steps) {
        if (step === "pay") paidUsd.push(world.payOwn());
        if (step === "pull USDC") paidUsd.push(world.pull(USDC_ACCOUNT!));
        if (step === "pull USDT") paidUsd.push(world.pull(USDT_ACCOUNT!));
        if (step === "restore USDC") world.restore(USDC_ACCOUNT!);
        if (step === "restore USDT") world.restore(USDT_ACCOUNT!);
        if (step === "close USDT") world.close(USDT_ACCOUNT!);
        if (step === "mention") world.mention(user.address);
        if (step === "mention USDC") world.mention(USDC_ACCOUNT!);
        if (step === "wait") await world.deps.clock.advance(400);
        if (step === "hide newest") {
          const newest = [...transactions].at(-1);
          if (newest) hidden.set(...newest);
          if (newest) transactions.delete(newest[0]);
        }
        if (step === "read" || step === "save") {
          // Nodes show a slot only once it is full.
          await world.deps.clock.advance(400);
          const { batches } = await world.readSpending();
          const listedUsd = batches.flatMap(({ txValuesUsd }) => txValuesUsd);
          expect(sortUsd(listedUsd)).toEqual(paidUsd.slice(savedUsd.length, savedUsd.length + listedUsd.length));
          if (step === "save") savedUsd.push(...(await saveBatches(world, batches)));
          await world.deps.clock.advance(400);
        }
      }
      for (const [signature, figures] of hidden) transactions.set(signature, figures as never);
      world.drawLag = () => 0;
      await world.deps.clock.advance(4_000);
      savedUsd.push(...(await saveAll(world)));
      expect(sortUsd(savedUsd)).toEqual(paidUsd);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});

test("a flood of a token account delays its pulls but loses none, within 60 calls an answer", async () => {
  const world = await stageLaggingWorld();
  const paidUsd = [world.pull(USDC_ACCOUNT!), world.payOwn()];
  await world.deps.clock.advance(400);
  for (let i = 0; i < 3_500; i++) world.mention(USDC_ACCOUNT!);
  await world.deps.clock.advance(400);
  paidUsd.push(world.pull(USDC_ACCOUNT!));
  await world.deps.clock.advance(400);
  const savedUsd: number[] = [];
  for (let answerCount = 0; savedUsd.length < paidUsd.length; answerCount++) {
    expect(answerCount, "all payments are listed").toBeLessThan(20);
    world.deps.calls.length = 0;
    const { batches } = await world.readSpending();
    expect(world.deps.calls.filter(({ port }) => port === "rpc").length).toBeLessThanOrEqual(MAX_NODE_CALLS);
    savedUsd.push(...(await saveBatches(world, batches)));
  }
  expect(savedUsd).toEqual(paidUsd);
});

/** Reads the values in all batches. Nodes show a slot only once it is full. */
async function readUsd(world: LaggingWorld) {
  await world.deps.clock.advance(400);
  const { batches, isComplete } = await world.readSpending();
  return { usd: batches.flatMap(({ txValuesUsd }) => txValuesUsd), isComplete };
}

test("a pull is listed if a lagging node lacks the approval that restored the account", async () => {
  const world = await stageLaggingWorld();
  await world.deps.clock.advance(4_000);
  world.restore(USDC_ACCOUNT!);
  expect(await readUsd(world)).toEqual({ usd: [], isComplete: true });
  const paidUsd = [world.pull(USDT_ACCOUNT!)];
  world.restore(USDT_ACCOUNT!);
  paidUsd.push(world.pull(USDC_ACCOUNT!));
  // The nodes that list the marks and the wallet's history lag. The next one shows the accounts.
  const lags = [0, 4];
  world.drawLag = () => lags.shift() ?? 0;
  expect(await readUsd(world)).toEqual({ usd: paidUsd, isComplete: true });
});

test("a pull that could not be read is read again although the account is as it was before", async () => {
  const world = await stageLaggingWorld();
  const { transactions } = world.deps.chain;
  world.restore(USDC_ACCOUNT!);
  await readUsd(world);
  world.restore(USDC_ACCOUNT!, 1_500_000n);
  await world.deps.clock.advance(400);
  const paidUsd = world.pull(USDC_ACCOUNT!);
  const [signature, figures] = [...transactions].at(-1)!;
  transactions.delete(signature);
  for (let i = 0; i < 2; i++) expect(await readUsd(world)).toEqual({ usd: [], isComplete: false });
  transactions.set(signature, figures);
  expect(await readUsd(world)).toEqual({ usd: [paidUsd], isComplete: true });
});

test("a node that does not know the end of a page does not end the history there", async () => {
  const world = await stageLaggingWorld();
  const paidUsd = world.payOwn();
  await world.deps.clock.advance(400);
  for (let i = 0; i < 1_000; i++) world.mention(user.address);
  world.knowsCursors = false;
  expect(await readUsd(world)).toEqual({ usd: [], isComplete: false });
  world.knowsCursors = true;
  expect(await readUsd(world)).toEqual({ usd: [paidUsd], isComplete: true });
});

test.each(["readAccountsAt", "readSignatures"] as const)(
  "the spending is not complete while no node can answer %s for the token accounts",
  async (method) => {
    const world = await stageLaggingWorld();
    const paidUsd = [world.payOwn()];
    await world.deps.clock.advance(400);
    paidUsd.push(world.pull(USDC_ACCOUNT!));
    const { rpc } = world.deps;
    const failing = async (address: string | string[], ...rest: never[]) => {
      if (address !== user.address) throw createOutage();
      return (rpc[method] as (...args: unknown[]) => Promise<never>)(address, ...rest);
    };
    world.deps.rpc = { ...rpc, [method]: failing };
    await world.deps.clock.advance(400);
    const answer = await world.readSpending();
    expect(answer).toMatchObject({ batches: [], isComplete: false, items: [{ usdValue: paidUsd[0] }] });
    world.deps.rpc = rpc;
    expect(await readUsd(world)).toEqual({ usd: paidUsd, isComplete: true });
  },
);
