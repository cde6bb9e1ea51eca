import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import type { Mark } from "../../../../../lib/domain/marks";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { readClaim } from "../../../../../lib/services/steps/relay/claim-records";
import { toRecordKey } from "../../../../../lib/services/steps/relay/relay-records";
import { recordBatch } from "../../../../../lib/services/steps/saving/through";
import { createMemo } from "../../../../../lib/solana/memo";
import { createSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { parseInput } from "../../../../support/client/contract-input";
import {
  blockhashOf,
  confirmedAt,
  type FakeDeps,
  FEE_COLLECTORS,
  failCalls,
  fakeDeps,
  listSends,
  outage,
  pricesAt,
  runFor,
  solAccount,
} from "../../../../support/fakes/fake-deps";
import { NO_INSTRUCTIONS } from "../../../../support/fixtures/figures";
import { signTransaction } from "../../../../support/fixtures/test-wallets";
import {
  buildPayment,
  buildTransaction,
  deriveService,
  execute,
  post,
  signatureOf,
  stranger,
  user,
} from "../../../../support/worlds/relay-rig";

const ALREADY_SAVED = { code: "already_saved" };

let deps: FakeDeps;
let service: string;
/** States that the chain reports, by signature. */
let known: Map<string, SignatureState>;
/** Whether sent transactions land at once. */
let lands: boolean;
let blockhash: number;

const paymentAt = (i: number) => "1".repeat(62) + String.fromCharCode(65 + i).repeat(2);

/** Records a payment of the user in a separate slot. */
function paid(i: number, signers = [user.address]): string {
  known.set(paymentAt(i), confirmedAt(i));
  deps.chain.transactions.set(paymentAt(i), {
    accountKeys: [user.address],
    feeLamports: 5_000n,
    preBalances: [1n],
    postBalances: [1n],
    preTokenBalances: [],
    postTokenBalances: [],
    ...NO_INSTRUCTIONS,
    signers,
  });
  return paymentAt(i);
}

beforeEach(async () => {
  deps = fakeDeps();
  service = await deriveService(deps);
  deps.chain.accounts.set(user.address, solAccount(1_000_000_000n));
  deps.chain.accounts.set(service, solAccount(1_000_000_000n));
  [known, lands, blockhash] = [new Map(), true, 1];
  deps.chain.status = (signature) => known.get(signature) ?? null;
  // Each build uses a different blockhash.
  deps.chain.latest = () => ({ blockhash: blockhashOf(blockhash++), lastValidBlockHeight: deps.chain.height() + 150 });
  deps.before = ({ method, args }) => {
    if (method === "send" && lands) known.set(signatureOf(args[0] as Uint8Array), confirmedAt(500));
  };
  for (let i = 0; i < 9; i++) paid(i);
});

function build(through: string, txValuesUsd = [27.63], after?: string, by = user.address, terms = {}) {
  deps.quoted.current = pricesAt(deps.clock.now());
  const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
  const input = parseInput(buildWrapBatchContract, { txValuesUsd, through, after, ...terms, ...wallets });
  return buildWrapBatch(deps, input, { caller: { kind: "wallet", wallet: by } });
}

/** Remembers a batch as the listing of a caller does. */
const list = (i: number, usd: number[], after: string | null, by = user.address) => {
  const microUsd = usd.map((value) => BigInt(Math.round(value * 1e6)));
  return recordBatch(deps, { by, wallet: user.address, through: paymentAt(i), microUsd }, after);
};

async function saving(through: string, txValuesUsd?: number[], after?: string): Promise<Uint8Array> {
  const { transaction } = await build(through, txValuesUsd, after);
  return signTransaction(Buffer.from(transaction!.base64, "base64"), user);
}

/** An app's own transaction that saves, with this memo. */
const ownSaving = (text: string, lamports = 1_000_000n) => [
  createSystemTransfer(user.address, service, lamports),
  createSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
  createMemo(text, user.address),
];

const claimOf = (mark: Mark) => readClaim(deps, { wallet: user.address, mark });

/** Advances the chain far past the expiry of every blockhash. */
function outlive(): void {
  const height = deps.chain.height() + 1_000;
  deps.chain.height = () => height;
}

describe("payments", () => {
  test("are saved by the first of two transactions, and a repeated post of either returns the same answer", async () => {
    const [first, second] = [await saving(paymentAt(3)), await saving(paymentAt(3))];
    expect(await post(deps, first)).toMatchObject({ confirmed: true });
    await expect(post(deps, second)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await post(deps, first)).toMatchObject({ confirmed: true, txSignature: signatureOf(first) });
    await expect(post(deps, second)).rejects.toMatchObject(ALREADY_SAVED);
    expect(listSends(deps).every(({ bytes }) => signatureOf(bytes) === signatureOf(first))).toBe(true);
  });

  test("are refused at build and at send unless they are newer than the last saved payment", async () => {
    const older = await saving(paymentAt(2));
    await post(deps, await saving(paymentAt(3)));
    for (const i of [2, 3]) await expect(build(paymentAt(i))).rejects.toMatchObject(ALREADY_SAVED);
    await expect(post(deps, older)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await post(deps, await saving(paymentAt(4)))).toMatchObject({ confirmed: true });
  });

  test("in one slot follow the order of the wallet's history", async () => {
    for (const i of [4, 5, 6]) known.set(paymentAt(i), confirmedAt(4));
    const entry = (i: number) => ({ signature: paymentAt(i), slot: 4, blockTime: 1, error: null, memo: null });
    deps.chain.history.set(user.address, [6, 5, 4].map(entry));
    await post(deps, await saving(paymentAt(5)));
    await expect(build(paymentAt(4))).rejects.toMatchObject(ALREADY_SAVED);
    expect(await post(deps, await saving(paymentAt(6)))).toMatchObject({ confirmed: true });
  });

  test("are not saved twice by a batch that was read or built before another batch landed", async () => {
    // Two devices read nothing saved; one of them read later, so that its batch holds the other's payments and more.
    const [short, long] = [[27.63], [27.63, 4.25]];
    await list(3, short, null);
    await list(5, long, null);
    const builtBefore = await saving(paymentAt(5), long);
    await post(deps, await saving(paymentAt(3), short));
    await expect(post(deps, builtBefore)).rejects.toMatchObject(ALREADY_SAVED);
    await expect(build(paymentAt(5), long)).rejects.toMatchObject(ALREADY_SAVED);
    // What is read now follows on it.
    await list(5, [4.25], paymentAt(3));
    expect(await post(deps, await saving(paymentAt(5), [4.25]))).toMatchObject({ confirmed: true });
  });

  test("are not saved twice by an app's own transaction that was built days before another saving", async () => {
    await list(5, [27.63, 4.25], null);
    const { instructions } = await build(paymentAt(5), [27.63, 4.25]);
    await list(3, [27.63], null);
    await post(deps, await saving(paymentAt(3), [27.63]));
    await deps.clock.advance(5 * 86_400_000);
    await expect(post(deps, buildTransaction(instructions))).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("are refused while an earlier batch with change is unsaved", async () => {
    await list(2, [5], null);
    await list(4, [4.25, 3.33], paymentAt(2));
    await expect(build(paymentAt(4), [4.25, 3.33])).rejects.toMatchObject(ALREADY_SAVED);
    expect((await build(paymentAt(2), [5])).transaction).toBeNull();
    expect(await post(deps, await saving(paymentAt(4), [4.25, 3.33]))).toMatchObject({ confirmed: true });
  });

  test("may skip earlier batches that have no change in the caller's terms", async () => {
    await post(deps, await saving(paymentAt(2)));
    await list(4, [5], paymentAt(2));
    await list(6, [4.25], paymentAt(4));
    await expect(build(paymentAt(6), [4.25])).rejects.toMatchObject(ALREADY_SAVED);
    expect(await post(deps, await saving(paymentAt(6), [4.25], paymentAt(2)))).toMatchObject({ confirmed: true });
  });

  test("may be saved by a second transaction only after the first has certainly expired", async () => {
    lands = false;
    const [first, second] = [await saving(paymentAt(3)), await saving(paymentAt(3))];
    expect(await post(deps, first)).toMatchObject({ confirmed: false });
    await expect(post(deps, second)).rejects.toMatchObject(ALREADY_SAVED);
    outlive();
    const third = await saving(paymentAt(3));
    await expect(post(deps, first)).rejects.toMatchObject({ code: "transaction_expired" });
    lands = true;
    expect(await post(deps, third)).toMatchObject({ confirmed: true });
  });

  test("are left for a minute to the process that may still be sending them", async () => {
    lands = false;
    const [first, second] = [await saving(paymentAt(3)), await saving(paymentAt(3))];
    expect(await runFor(26_000, deps, execute(deps, first))).toMatchObject({ confirmed: false });
    const followed: string[] = [];
    const { run } = deps.background;
    deps.background.run = (name, task) => {
      followed.push(name);
      return run(name, task);
    };
    await expect(runFor(1_000, deps, execute(deps, second))).rejects.toMatchObject(ALREADY_SAVED);
    expect(followed).toEqual([]);
  });

  test("may be saved again after the first transaction failed on the chain", async () => {
    const [first, second] = [await saving(paymentAt(3)), await saving(paymentAt(3))];
    lands = false;
    await post(deps, first);
    known.set(signatureOf(first), confirmedAt(501, { InstructionError: [0, { Custom: 1 }] }));
    await expect(post(deps, first)).rejects.toMatchObject({ code: "transaction_failed" });
    lands = true;
    expect(await post(deps, second)).toMatchObject({ confirmed: true });
  });

  test.each([
    ["landed after all", true],
    ["never went out", false],
  ])(
    "are resolved by the next transaction when device and process are gone and the first one %s",
    async (_, landed) => {
      lands = false;
      const [first, second] = [await saving(paymentAt(3)), await saving(paymentAt(3))];
      await post(deps, first);
      if (landed) known.set(signatureOf(first), confirmedAt(501));
      await deps.clock.advance(10 * 60_000);
      outlive();
      const third = landed ? second : await saving(paymentAt(3));
      lands = true;
      const answer = post(deps, third);
      if (landed) await expect(answer).rejects.toMatchObject(ALREADY_SAVED);
      else expect(await answer).toMatchObject({ confirmed: true });
    },
  );

  test("stay claimed by a transaction without a known bound only until it can no longer land", async () => {
    lands = false;
    const { before } = deps;
    deps.before = failCalls("readHead");
    await post(deps, buildTransaction(ownSaving(`roundup:1:through:${paymentAt(3)}`)));
    deps.before = before;
    await deps.clock.advance(10 * 60_000);
    await expect(post(deps, await saving(paymentAt(3)))).rejects.toMatchObject(ALREADY_SAVED);
    outlive();
    deps.chain.blockhashValid = () => false;
    lands = true;
    expect(await post(deps, await saving(paymentAt(3)))).toMatchObject({ confirmed: true });
  });

  test("cannot be claimed by a transaction that their wallet has not signed", async () => {
    const { simulation } = deps.chain;
    deps.chain.simulation = () => ({ error: "BlockhashNotFound", logs: [], unitsConsumed: 0 });
    lands = false;
    for (const mark of [`through:${paymentAt(3)}`, "topup:2026-W47"]) {
      // One that was handed out here: another one holds nothing anyway.
      const { transaction } = await build(paymentAt(3));
      const forged = ownSaving(`roundup:1:${mark}`).map(({ accounts, ...one }) => {
        return { ...one, accounts: accounts.map((account) => ({ ...account, isSigner: false })) };
      });
      expect(await post(deps, buildTransaction(forged, [stranger], transaction!.blockhash))).toMatchObject({
        confirmed: false,
      });
    }
    deps.chain.simulation = simulation;
    lands = true;
    expect(await post(deps, await saving(paymentAt(3)))).toMatchObject({ confirmed: true });
    expect(await post(deps, buildTransaction(ownSaving("roundup:1:topup:2026-W47")))).toMatchObject({
      confirmed: true,
    });
  });

  test("cannot be claimed on an unknown blockhash until a node knows that blockhash", async () => {
    const { simulation } = deps.chain;
    deps.chain.simulation = () => ({ error: "BlockhashNotFound", logs: [], unitsConsumed: 0 });
    const own = buildTransaction(ownSaving("roundup:1:topup:2026-W47"));
    expect(await post(deps, own)).toMatchObject({ confirmed: false });
    expect([listSends(deps), await claimOf({ kind: "topup", value: "2026-W47" })]).toEqual([[], null]);
    const { before } = deps;
    deps.before = (call) => {
      if (call.method === "readHead") throw outage();
      return before(call);
    };
    const other = buildTransaction(ownSaving("roundup:1:topup:2026-W47"), [user], blockhashOf(3));
    expect(await post(deps, other)).toMatchObject({ confirmed: false });
    deps.before = before;
    deps.chain.simulation = simulation;
    expect(await post(deps, own)).toMatchObject({ confirmed: true });
    expect(await claimOf({ kind: "topup", value: "2026-W47" })).toMatchObject({ held: null, saved: {} });
  });

  test("leave no claim in the store after their transaction has certainly expired", async () => {
    lands = false;
    const own = buildTransaction(ownSaving("roundup:1:topup:2026-W47"));
    expect(await post(deps, own)).toMatchObject({ confirmed: false });
    expect(await claimOf({ kind: "topup", value: "2026-W47" })).toMatchObject({ held: {} });
    outlive();
    deps.chain.blockhashValid = () => false;
    await expect(post(deps, own)).rejects.toMatchObject({ code: "transaction_expired" });
    expect(await claimOf({ kind: "topup", value: "2026-W47" })).toBeNull();
  });

  test("must be named by a confirmed transaction that the same wallet signed", async () => {
    const foreign = paid(20, [stranger.address]);
    const unknown = paymentAt(21);
    for (const through of [foreign, unknown]) {
      await expect(build(through)).rejects.toMatchObject({ code: "invalid_request" });
      const own = buildTransaction(ownSaving(`roundup:1:through:${through}`));
      const message = expect.stringContaining("names no confirmed transaction that the same wallet signed");
      await expect(post(deps, own)).rejects.toMatchObject({ code: "invalid_transaction", message });
    }
    expect(listSends(deps)).toEqual([]);
  });

  test("are not refused after they were sent, even if a node has lost the payment that their mark names", async () => {
    lands = false;
    const first = await saving(paymentAt(3));
    expect(await post(deps, first)).toMatchObject({ confirmed: false });
    known.delete(paymentAt(3));
    expect(await post(deps, first)).toMatchObject({ confirmed: false });
  });

  test("are marked only by a single memo beside a round-up of the signing wallet", async () => {
    const note = createMemo(`roundup:1:through:${paymentAt(5)}`, user.address);
    const payment = createSystemTransfer(user.address, stranger.address, 1_000_000n);
    expect(await post(deps, buildTransaction([payment, note]))).toMatchObject({ confirmed: true });
    expect(await post(deps, await saving(paymentAt(3)))).toMatchObject({ confirmed: true });
    const two = buildTransaction([note, createMemo("roundup:1:topup:2026-W47", user.address)]);
    const message = expect.stringContaining("one mark at most");
    await expect(post(deps, two)).rejects.toMatchObject({ code: "invalid_transaction", message });
  });

  test("are not marked by a transfer into an unknown wallet, and the answer names the call that helps", async () => {
    const unknown = [
      createSystemTransfer(user.address, stranger.address, 1_000_000n),
      ...ownSaving(`roundup:1:through:${paymentAt(3)}`).slice(1),
    ];
    const message = expect.stringContaining("POST /api/wallet/derive");
    await expect(post(deps, buildTransaction(unknown))).rejects.toMatchObject({ code: "invalid_transaction", message });
    expect(listSends(deps)).toEqual([]);
  });

  test("that are saved may be sent again by the same message, after the node and the store lost its outcome", async () => {
    const first = await saving(paymentAt(3));
    expect(await post(deps, first)).toMatchObject({ confirmed: true });
    known.delete(signatureOf(first));
    await deps.kv.delete(toRecordKey(signatureOf(first)));
    expect(await post(deps, first)).toMatchObject({ confirmed: true });
  });

  test("stay saved when the claim of a later message is freed, because that message was refused", async () => {
    await post(deps, await saving(paymentAt(3)));
    const next = await saving(paymentAt(4));
    const { before } = deps;
    deps.before = ({ method, args }) => {
      if (method === "setIfAbsent" && String(args[0]).startsWith("relayed-message:")) throw outage();
    };
    await expect(post(deps, next)).rejects.toMatchObject({ code: "upstream_unavailable" });
    const mark = { kind: "through", value: "" } as const;
    expect(await claimOf(mark)).toMatchObject({ held: { value: paymentAt(4) } });
    deps.before = before;
    deps.chain.simulation = () => ({ error: "AccountNotFound", logs: [], unitsConsumed: 0 });
    await expect(post(deps, next)).rejects.toMatchObject({ code: "simulation_failed" });
    expect(await claimOf(mark)).toMatchObject({ saved: { value: paymentAt(3) }, held: null });
  });

  test("are refused after five tries when every write of the claim fails to win", async () => {
    const bytes = await saving(paymentAt(3));
    let writes = 0;
    const loses = async () => {
      // More tries than this would not end.
      if (++writes > 9) throw new Error("tries for ever");
      return false;
    };
    deps.kv = new Proxy(deps.kv, {
      get: (target, method) => (method === "replace" ? loses : Reflect.get(target, method)),
    });
    await expect(post(deps, bytes)).rejects.toMatchObject(ALREADY_SAVED);
    expect(writes).toBe(5);
  });
});

describe("a claim whose process is gone", () => {
  const FAILED = confirmedAt(501, { InstructionError: [0, { Custom: 1 }] });
  const period = { kind: "topup", value: "2026-W47" } as const;
  const topup = (lamports: bigint) => buildTransaction(ownSaving("roundup:1:topup:2026-W47", lamports));
  let first: Uint8Array;
  beforeEach(() => {
    first = topup(1_000_000n);
  });

  /** The first message holds the claim, and no request follows it any more. */
  async function abandon(): Promise<void> {
    lands = false;
    deps.background.run = (_name, task) => task(() => false);
    expect(await runFor(26_000, deps, execute(deps, first))).toMatchObject({ confirmed: false });
    lands = true;
  }

  const postNext = () => runFor(30_000, deps, execute(deps, topup(2_000_000n)));

  test("is ended at once when its message has landed", async () => {
    await abandon();
    known.set(signatureOf(first), confirmedAt(501));
    await expect(runFor(0, deps, execute(deps, topup(2_000_000n)))).rejects.toMatchObject(ALREADY_SAVED);
    expect(await claimOf(period)).toMatchObject({ held: null, saved: {} });
  });

  test("is free at once when its message has failed on the chain", async () => {
    await abandon();
    known.set(signatureOf(first), FAILED);
    expect(await runFor(1_000, deps, execute(deps, topup(2_000_000n)))).toMatchObject({ confirmed: true });
  });

  /** Once the message has landed, the store refuses the first write that ends its claim. */
  function failFirstEnd(landed: SignatureState): void {
    let failures = 1;
    deps.before = ({ method, args }) => {
      if (method === "send") known.set(signatureOf(args[0] as Uint8Array), known.size > 9 ? confirmedAt(502) : landed);
      const isEnd = method === "replace" && String(args[0]).startsWith("claim:") && known.has(signatureOf(first));
      if (isEnd && failures-- > 0) throw outage();
    };
  }

  test("is ended by the next message that makes it land, though the store fails once", async () => {
    await abandon();
    await deps.clock.advance(60_000);
    failFirstEnd(confirmedAt(501));
    await expect(postNext()).rejects.toMatchObject(ALREADY_SAVED);
    expect(await claimOf(period)).toMatchObject({ held: null, saved: {} });
  });

  test("is freed by the next message when it fails on the chain, though the store fails once", async () => {
    await abandon();
    await deps.clock.advance(60_000);
    failFirstEnd(FAILED);
    expect(await postNext()).toMatchObject({ confirmed: true });
  });

  test("is left alone for a minute, to the millisecond", async () => {
    await abandon();
    const followed: string[] = [];
    deps.background.run = (name, task) => {
      followed.push(name);
      return task(() => false);
    };
    const { since } = (await claimOf(period))!.held!;
    const { now } = deps.clock;
    for (const age of [0, 59_999]) {
      deps.clock.now = () => since + age;
      await expect(runFor(0, deps, execute(deps, topup(2_000_000n)))).rejects.toMatchObject(ALREADY_SAVED);
      expect(followed).toEqual([]);
    }
    deps.clock.now = () => since + 60_000;
    execute(deps, topup(2_000_000n)).catch(() => {});
    await deps.clock.advance(0);
    expect(followed).toEqual([signatureOf(first), `record:${signatureOf(first)}`]);
    deps.clock.now = now;
  });
});

test("a period's claim expires a day after the period closes, and the claim of any other name stays", async () => {
  const topup = (period: string, lamports = 1_000_000n) =>
    buildTransaction(ownSaving(`roundup:1:topup:${period}`, lamports));
  for (const period of ["2026-W47", "w1"]) expect(await post(deps, topup(period))).toMatchObject({ confirmed: true });
  const claims = () => Promise.all(["2026-W47", "w1"].map((value) => claimOf({ kind: "topup", value })));
  await deps.clock.advance(Date.parse("2026-11-30T00:00:00Z") - deps.clock.now());
  const message = expect.stringContaining("The period 2026-W47 is over");
  await expect(post(deps, topup("2026-W47", 2_000_000n))).rejects.toMatchObject({
    code: "invalid_transaction",
    message,
  });
  expect(await post(deps, topup("2026-W47"))).toMatchObject({ confirmed: true });
  expect(await claims()).toEqual([expect.anything(), expect.anything()]);
  await deps.clock.advance(86_400_000);
  expect(await claims()).toEqual([null, expect.anything()]);
  await expect(post(deps, topup("2026-W47", 3_000_000n))).rejects.toMatchObject({ code: "invalid_transaction" });
  await expect(post(deps, topup("w1", 2_000_000n))).rejects.toMatchObject(ALREADY_SAVED);
});

describe("with fewer replicas than the store waits for", () => {
  /**
   * Makes the store report that too few replicas have a write. The write itself happens. A conditional write that
   * changes nothing succeeds, because there is nothing to replicate.
   */
  function loseReplicas(isShort: (write: number) => boolean): void {
    let writes = 0;
    const short =
      <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const result = await write(...args);
        if (result !== false && args.includes("replicated") && isShort(writes++)) throw outage();
        return result;
      };
    const { set, setIfAbsent, replace } = deps.kv;
    deps.kv = { ...deps.kv, set: short(set), setIfAbsent: short(setIfAbsent), replace: short(replace) };
  }

  // A saving writes its claim, that it is sent, and that the claim is sent.
  test.each([0, 1, 2])(
    "503: write %i of a saving is not replicated; nothing is sent, and the claim stays",
    async (at) => {
      const bytes = await saving(paymentAt(1));
      loseReplicas((write) => write === at);
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      expect(listSends(deps)).toEqual([]);
      expect((await claimOf({ kind: "through", value: paymentAt(1) }))?.held).toBeTruthy();
      const other = await saving(paymentAt(1), [5.43]);
      await expect(post(deps, other)).rejects.toMatchObject(ALREADY_SAVED);
      expect(await post(deps, bytes)).toMatchObject({ confirmed: true });
    },
  );

  test("503 for as long as replicas are missing, however often the same bytes are posted", async () => {
    const bytes = await saving(paymentAt(1));
    let isShort = true;
    loseReplicas(() => isShort);
    for (let call = 0; call < 5; call++)
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(listSends(deps)).toEqual([]);
    isShort = false;
    expect(await post(deps, bytes)).toMatchObject({ confirmed: true });
    expect(listSends(deps)).not.toEqual([]);
  });

  test("503 instead of a refusal while replicas lack its record, so no client rebuilds too early", async () => {
    const bytes = await saving(paymentAt(1));
    deps.chain.simulation = () => ({ error: "AccountNotFound", logs: [], unitsConsumed: 0 });
    let isShort = true;
    loseReplicas(() => isShort);
    for (let call = 0; call < 3; call++)
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
    isShort = false;
    await expect(post(deps, bytes)).rejects.toMatchObject({ code: "simulation_failed" });
  });

  test.each([
    ["a saving", () => saving(paymentAt(1))],
    ["a payment without a mark", async () => buildPayment()],
  ])(
    "503 instead of the refusal of %s while replicas lack its record, though its simulation passes by now",
    async (_, make) => {
      const bytes = await make();
      const { simulation } = deps.chain;
      deps.chain.simulation = () => ({ error: "AccountNotFound", logs: [], unitsConsumed: 0 });
      let isShort = true;
      loseReplicas(() => isShort);
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      deps.chain.simulation = simulation;
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      isShort = false;
      await expect(post(deps, bytes)).rejects.toMatchObject({ code: "simulation_failed" });
      expect(listSends(deps)).toEqual([]);
    },
  );
});
