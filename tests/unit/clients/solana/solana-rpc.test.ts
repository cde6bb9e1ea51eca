import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../../lib/clients/process/system";
import { type QuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../../lib/clients/solana/solana-rpc";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import type { SolanaRpc } from "../../../../lib/ports/solana-rpc";
import { buildSetComputeUnitLimit } from "../../../../lib/solana/compute-budget";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createResultAt, createStagedNodes, type StagedNode } from "../../../support/fakes/staged-nodes";
import {
  answerAccounts,
  answerInTurn,
  answerResults,
  answerRpcError,
  catchAppError,
  createAccountJson,
  createAddress,
  createRpcClient,
  parseCall,
  SECRET,
  STAGED_CONTEXT,
} from "../../../support/fakes/staged-rpc";
import {
  answerText,
  cutConnection,
  floodBody,
  type Stage,
  startStagedServerForFile,
} from "../../../support/fakes/staged-server";
import { createTimeoutStage } from "../../../support/fakes/timeout-stage";
import { createMemoryStore } from "../../../support/store/memory-store";

const ADDRESS = createAddress();
const OTHER_ADDRESS = createAddress();
const node = await startStagedServerForFile();

const listCalls = () => node.requests.map(parseCall);
const createClient = () => createRpcClient(node);

const CALLS = {
  readAccounts: (rpc: SolanaRpc) => rpc.readAccounts([ADDRESS]),
  readRentExemptMinimum: (rpc: SolanaRpc) => rpc.readRentExemptMinimum(0),
  readLatestBlockhash: (rpc: SolanaRpc) => rpc.readLatestBlockhash(),
  readHead: (rpc: SolanaRpc) => rpc.readHead(),
};
const answerAt = (method: string, value: unknown) => answerResults({ [method]: { context: STAGED_CONTEXT, value } });
const answerRent = (lamports: unknown) => answerResults({ getMinimumBalanceForRentExemption: lamports });
const answerHead = (result: unknown) => answerResults({ getEpochInfo: result });

test.each<[keyof typeof CALLS, string, Stage]>([
  ["readAccounts", "the wrong number of accounts", answerAccounts(1, 2)],
  ["readAccounts", "a negative balance", answerAccounts(-1)],
  ["readAccounts", "a fraction of a lamport", answerAccounts(0.5)],
  ["readAccounts", "no result", answerResults({})],
  ["readAccounts", "text", answerAt("getMultipleAccounts", [{ ...createAccountJson(1), lamports: "1" }])],
  ["readAccounts", "no JSON", answerText("<html>")],
  ["readAccounts", "an endless body", floodBody],
  ["readRentExemptMinimum", "an error", answerRpcError(-32602, SECRET)],
  ["readRentExemptMinimum", "zero", answerRent(0)],
  ["readRentExemptMinimum", "text", answerRent("1")],
  ["readRentExemptMinimum", "far less than the lowest planned rent", answerRent(44_543)],
  ["readRentExemptMinimum", "a fraction", answerRent(650_240.5)],
  ["readRentExemptMinimum", "more than the rent has ever been", answerRent(890_881)],
  [
    "readLatestBlockhash",
    "a blockhash that is not 32 bytes of base58",
    answerAt("getLatestBlockhash", { blockhash: "0OIl", lastValidBlockHeight: 150 }),
  ],
  ["readHead", "the slot for the height", answerHead({ absoluteSlot: 500, blockHeight: 500 })],
  ["readHead", "a height past its slot", answerHead({ absoluteSlot: 500, blockHeight: 501 })],
  ["readHead", "no height", answerHead({ absoluteSlot: 500 })],
  ["readHead", "a height in text", answerHead({ absoluteSlot: 500, blockHeight: "470" })],
])("%s fails as upstream_invalid on %s", async (name, _caseName, stage) => {
  node.stage = stage;
  expect((await catchAppError(CALLS[name](createClient().rpc))).code).toBe("upstream_invalid");
});

describe("readTokenHoldings", () => {
  const createHolding = (mint: string, amount = "1", program = TOKEN_PROGRAM) => ({
    pubkey: `account-of-${mint}`,
    account: {
      lamports: 1,
      owner: program,
      executable: false,
      data: { program: "spl-token", space: 165, parsed: { info: { mint, tokenAmount: { amount, decimals: 6 } } } },
    },
  });
  const createRawHolding = (amount: bigint) => {
    const bytes = Buffer.alloc(165);
    bytes.writeBigUInt64LE(amount, 64);
    return { pubkey: "raw", account: { owner: TOKEN_2022_PROGRAM, data: [bytes.toString("base64"), "base64"] } };
  };
  const answerByProgram =
    (holdings: Record<string, unknown[]>): Stage =>
    (request, response) => {
      const [, { programId }] = parseCall(request).params as [string, { programId: string }];
      answerAt("getTokenAccountsByOwner", holdings[programId] ?? [])(request, response);
    };

  const answerOneHolding = answerByProgram({ [TOKEN_PROGRAM]: [createHolding("m1")] });
  const PARSED_HOLDING = { address: "account-of-m1", mint: "m1", amount: 1n, decimals: 6, tokenProgram: TOKEN_PROGRAM };

  test("omits an unparsed account only if it is empty", async () => {
    node.stage = answerByProgram({
      [TOKEN_PROGRAM]: [createHolding("m1"), createRawHolding(0n)],
      [TOKEN_2022_PROGRAM]: [createRawHolding(1n), { pubkey: "odd", account: { owner: 5 } }, null],
    });
    expect(await createClient().rpc.readTokenHoldings(ADDRESS)).toEqual({
      holdings: [PARSED_HOLDING],
      leftOut: [
        { account: "raw", reason: "Its mint cannot be read." },
        { account: "odd", reason: "The node's answer about it could not be read." },
        { account: null, reason: "The node's answer about it could not be read." },
      ],
    });
  });

  test.each<[string, Stage]>([
    ["for the size limit", (_request, response) => response.writeHead(200, { "content-length": "16777217" }).end()],
    ["for the node", answerRpcError(-32012, "The accumulated scan results exceeded the limit")],
  ])("reports a list in leftOut when it is too long %s", async (_caseName, answerTooLong) => {
    node.stage = (request, response) => {
      if (request.body.includes(TOKEN_2022_PROGRAM)) return answerTooLong(request, response);
      answerOneHolding(request, response);
    };
    expect(await createClient().rpc.readTokenHoldings(ADDRESS)).toEqual({
      holdings: [PARSED_HOLDING],
      leftOut: [{ account: null, reason: "Its Token-2022 accounts are too many to be read." }],
    });
  });

  test("fails when the answer is not a list, instead of returning an empty portfolio", async () => {
    node.stage = answerAt("getTokenAccountsByOwner", "none");
    expect((await catchAppError(createClient().rpc.readTokenHoldings(ADDRESS))).code).toBe("upstream_invalid");
  });

  test("fails when one program's read fails, instead of returning half a portfolio", async () => {
    node.stage = (request, response) => {
      if (request.body.includes(TOKEN_2022_PROGRAM)) return answerText("", 500)(request, response);
      answerOneHolding(request, response);
    };
    expect((await catchAppError(createClient().rpc.readTokenHoldings(ADDRESS))).code).toBe("upstream_unavailable");
  });
});

test("callers after an account's change get token holdings of a new read, not of the read in flight", async () => {
  const pendingAnswers: (() => void)[] = [];
  const emptyList = answerAt("getTokenAccountsByOwner", []);
  const bothArrived = new Promise<void>((resolve) => {
    node.stage = (request, response) => {
      if (pendingAnswers.push(() => emptyList(request, response)) === 2) resolve();
    };
  });
  const { rpc } = createClient();
  const earlierRead = rpc.readTokenHoldings(ADDRESS);
  await bothArrived;
  rpc.invalidate([OTHER_ADDRESS]);
  node.stage = emptyList;
  await rpc.readTokenHoldings(ADDRESS);
  expect(node.requests).toHaveLength(4);
  for (const answer of pendingAnswers) answer();
  expect(await earlierRead).toEqual({ holdings: [], leftOut: [] });
});

test.each([
  ["for five seconds if it is long", 2_001, 4_900, 2],
  ["not longer", 2_001, 5_100, 4],
  ["not if it is short", 2_000, 500, 4],
])("public callers share a list of token accounts: %s", async (_caseName, count, waitMs, callCount) => {
  const info = { mint: "m", tokenAmount: { amount: "1", decimals: 6 } };
  const account = { lamports: 1, owner: TOKEN_PROGRAM, data: { program: "spl-token", space: 165, parsed: { info } } };
  const lists = [Array.from({ length: count }, (_, i) => ({ pubkey: `a${i}`, account })), []];
  node.stage = (request, response) => {
    const isFirst = (parseCall(request).params[1] as { programId: string }).programId === TOKEN_PROGRAM;
    answerAt("getTokenAccountsByOwner", lists[isFirst ? 0 : 1])(request, response);
  };
  const { nodes, clock } = createClient();
  const rpc = createSolanaRpc({ nodes, clock });
  const reader: QuotaUser = { ...SERVICE_ITSELF, priority: "other" };
  const countHoldings = async () =>
    (await rpc.readTokenHoldings(reader, ADDRESS, { mayLackNewAccounts: true })).holdings.length;
  expect(await countHoldings()).toBe(count);
  await clock.advance(waitMs);
  expect(await countHoldings()).toBe(count);
  expect(node.requests).toHaveLength(callCount);
});

test.each<[string, (rpc: SolanaRpc) => Promise<unknown>]>([
  ["readAccounts", (rpc) => rpc.readAccounts([ADDRESS])],
  ["readAccounts in a batch", (rpc) => rpc.readAccounts([ADDRESS], { waitsForBatch: true })],
  ["readTokenHoldings", (rpc) => rpc.readTokenHoldings(ADDRESS)],
  ["readTokenHoldings of known accounts", (rpc) => rpc.readTokenHoldings(ADDRESS, { mayLackNewAccounts: true })],
  ["readSignatures", (rpc) => rpc.readSignatures(ADDRESS, { limit: 1 })],
])("%s calls the node again once its address is invalidated, and not after a different one", async (_name, read) => {
  node.stage = (request, response) => {
    const { method, params } = parseCall(request);
    const value = method === "getMultipleAccounts" ? (params[0] as string[]).map(() => null) : [];
    const result = method === "getSignaturesForAddress" ? value : { context: STAGED_CONTEXT, value };
    answerResults({ [method]: result })(request, response);
  };
  const { rpc, clock } = createClient();
  const countCalls = async () => {
    const reading = read(rpc);
    await clock.advance(20);
    await reading;
    return node.requests.length;
  };
  const firstCallCount = await countCalls();
  expect(firstCallCount).toBeGreaterThan(0);
  rpc.invalidate([OTHER_ADDRESS]);
  expect(await countCalls()).toBe(firstCallCount);
  rpc.invalidate([OTHER_ADDRESS, ADDRESS]);
  expect(await countCalls()).toBe(2 * firstCallCount);
});

describe("small reads", () => {
  test("asks the next node at once when one returns a wrong rent minimum", async () => {
    const { rpc, receivedCalls } = createStagedNodes({
      a: () => ({ result: 1 }),
      b: () => ({ result: 650_240 }),
    });
    expect(await rpc.readRentExemptMinimum(0)).toBe(650_240n);
    expect(receivedCalls.filter(({ method }) => method !== "getSlot").map(({ node }) => node)).toEqual(["a", "b"]);
  });

  test.each([
    ["does not know the blockhash", null],
    ["names less than any network charges", 1],
    ["names more than any network charges", 500_000_000],
  ])("asks the next node for a fee when one %s", async (_caseName, value) => {
    const instructions = [buildSetComputeUnitLimit(300)];
    const { message } = composeTransaction({ payer: ADDRESS, instructions, blockhash: OTHER_ADDRESS });
    const readFee = (...values: (number | null)[]) => {
      const staged = values.map((fee, i): [string, StagedNode] => [`node${i}`, () => createResultAt(5, fee)]);
      return createStagedNodes(Object.fromEntries(staged)).rpc.readFee(message);
    };
    expect(await readFee(value, 5_000)).toBe(5_000n);
    expect(await readFee(value, value)).toBeNull();
    expect(await readFee(value)).toBeNull();
  });

  test("returns signature states in order, with errors, and null for unknown signatures", async () => {
    const err = { InstructionError: [0, { Custom: 1 }] };
    const value = [
      { slot: 5, confirmations: 3, err: null, confirmationStatus: "confirmed" },
      null,
      { slot: 6, confirmations: null, err },
    ];
    node.stage = answerAt("getSignatureStatuses", value);
    expect(await createClient().rpc.readSignatureStates(["s1", "s2", "s3"], true)).toEqual({
      slot: 7,
      states: [
        { slot: 5, error: null, confirmation: "confirmed" },
        null,
        { slot: 6, error: err, confirmation: "finalized" },
      ],
    });
    expect(listCalls()[0]!.params[1]).toEqual({ searchTransactionHistory: true });
    expect((await catchAppError(createClient().rpc.readSignatureStates(["s1"], false))).code).toBe("upstream_invalid");
  });
});

describe("a read", () => {
  test.each([
    ["a cut connection", cutConnection],
    ["a 500", answerText(SECRET, 500)],
    ["a node that is behind", answerRpcError(-32005, SECRET)],
  ])("is repeated once after %s", async (_caseName, stage) => {
    node.stage = answerInTurn(stage, answerAccounts(5));
    expect((await createClient().rpc.readAccounts([ADDRESS]))[0]?.lamports).toBe(5n);
  });

  test("is refused at once after a call of its method has timed out", async () => {
    node.stage = createTimeoutStage();
    const { rpc } = createClient();
    expect((await catchAppError(rpc.readAccounts([ADDRESS]))).code).toBe("upstream_timeout");
    expect((await catchAppError(rpc.isBlockhashValid(ADDRESS))).code).toBe("upstream_timeout");
    const refusal = await catchAppError(rpc.readAccounts([ADDRESS]));
    expect([refusal.code, refusal.details.retryAfterSeconds]).toEqual(["upstream_unavailable", 3]);
    expect(node.requests).toHaveLength(2);
  });

  test("fails without the node's text and URL, which may carry a key", async () => {
    for (const stage of [answerRpcError(-32005, "boom"), answerText(SECRET, 500), cutConnection]) {
      node.stage = stage;
      const error = await catchAppError(createClient().rpc.readBlockHeight());
      expect(JSON.stringify([error.message, String(error.details.cause)])).not.toContain(SECRET);
    }
  });
});

describe("simulate", () => {
  const answerSimulation = (value: unknown) => answerAt("simulateTransaction", value);

  test("sends exactly these bytes and returns the runtime's error unchanged", async () => {
    const err = { InstructionError: [2, { Custom: 6001 }] };
    node.stage = answerSimulation({ err, unitsConsumed: 42, fee: 5_000 });
    const result = await createClient().rpc.simulate(Uint8Array.of(1, 2, 3), { verifySignatures: true });
    expect(result).toEqual({ error: err, unitsConsumed: 42, feeLamports: 5_000n, slot: 7 });
    expect(listCalls()[0]!.params).toEqual(["AQID", { encoding: "base64", commitment: "confirmed", sigVerify: true }]);
  });

  test("simulates a draft with the newest blockhash and without signature checks", async () => {
    const data = [Buffer.from([1, 2]).toString("base64"), "base64"];
    const account = { lamports: 5, owner: "11111111111111111111111111111111", data };
    const value = { err: null, unitsConsumed: 1, accounts: [account, null] };
    node.stage = answerSimulation(value);
    const options = { verifySignatures: false, accounts: ["one", "other"] };
    const { accounts } = await createClient().rpc.simulate(Uint8Array.of(1), options);
    expect(accounts).toEqual([{ ...account, lamports: 5n, data: Buffer.from([1, 2]) }, null]);
    expect(listCalls()[0]!.params[1]).toEqual({
      encoding: "base64",
      commitment: "confirmed",
      sigVerify: false,
      replaceRecentBlockhash: true,
      accounts: { addresses: ["one", "other"], encoding: "base64" },
    });
    const valueWithoutAccount = { ...value, accounts: [account] };
    node.stage = answerSimulation(valueWithoutAccount);
    expect((await catchAppError(createClient().rpc.simulate(Uint8Array.of(1), options))).code).toBe("upstream_invalid");
    node.stage = answerSimulation({ ...valueWithoutAccount, err: "AccountNotFound" });
    expect(await createClient().rpc.simulate(Uint8Array.of(1), options)).toMatchObject({ error: "AccountNotFound" });
  });

  test.each([
    ["upstream_invalid", "does not say whether it failed", answerSimulation({})],
    ["simulation_failed", "refuses the transaction", answerRpcError(-32003, SECRET)],
  ])("fails as %s when the node %s", async (code, _caseName, stage) => {
    node.stage = stage;
    const simulation = createClient().rpc.simulate(Uint8Array.of(1), { verifySignatures: true });
    expect((await catchAppError(simulation)).code).toBe(code);
  });
});

describe("send", () => {
  const sendBytes = () => createClient().rpc.send(Uint8Array.of(1, 2, 3));

  const PROCESSED_MESSAGE = "Transaction simulation failed: This transaction has already been processed";
  test.each([
    ["by its message", answerRpcError(-32002, PROCESSED_MESSAGE)],
    ["by the runtime's error", answerRpcError(-32002, "failed", { err: "AlreadyProcessed" })],
  ])("accepts a transaction that the chain already has, recognized %s", async (_caseName, stage) => {
    node.stage = stage;
    await sendBytes();
  });

  test.each<[string, Stage]>([
    ...[-32002, -32003, -32602].map((code): [string, Stage] => ["simulation_failed", answerRpcError(code, SECRET)]),
    ["upstream_unavailable", answerRpcError(-32005, SECRET)],
    ["upstream_invalid", answerRpcError(-32601, SECRET)],
    ["upstream_unavailable", answerText(SECRET, 500)],
    ["upstream_invalid", answerResults({ sendTransaction: null })],
  ])("fails as %s without a repeated send", async (code, stage) => {
    node.stage = stage;
    expect((await catchAppError(sendBytes())).code).toBe(code);
    expect(node.requests).toHaveLength(1);
  });
});

const HEAD = { result: { absoluteSlot: 20, blockHeight: 9 } };

/** Simulates a draft after the client has read slot 20. The node answers at these slots in turn. */
async function simulateDraftAt(err: string | null, ...slots: number[]) {
  const { rpc, clock, receivedCalls } = createStagedNodes({
    a: ({ method }) => {
      if (method === "getEpochInfo") return HEAD;
      const slot = slots.length > 1 ? slots.shift() : slots[0];
      return { result: { context: { slot }, value: { err } } };
    },
  });
  await rpc.readHead();
  const pending = rpc.simulate(Uint8Array.of(1), { verifySignatures: false }).catch((error) => error);
  await clock.advance(2_000);
  return { outcome: await pending, callCount: receivedCalls.length - 1 };
}

test("a simulation returns a draft's failure only from a node that has reached the newest known slot", async () => {
  const outcome = { error: "AccountNotFound", slot: 20 };
  expect(await simulateDraftAt("AccountNotFound", 19, 20)).toMatchObject({ outcome, callCount: 2 });
});

test("a draft's simulation fails as upstream_unavailable if no node has reached the newest known slot", async () => {
  const outcome = { code: "upstream_unavailable" };
  expect(await simulateDraftAt("AccountNotFound", 19)).toMatchObject({ outcome, callCount: 3 });
});

test("a simulation returns a draft's success from any node at once, also without consumed units", async () => {
  const outcome = { error: null, unitsConsumed: null, feeLamports: null, slot: 19 };
  expect(await simulateDraftAt(null, 19)).toEqual({ outcome, callCount: 1 });
});

describe("send, from instances that share a store,", () => {
  const TRANSACTION = new Uint8Array(200).fill(1);

  /** Opens instances that share a store. Each counts its sends and can be made to fail. */
  function openInstances(changeStore: (kv: KvStore) => KvStore = (kv) => kv) {
    const clock = createManualClock();
    const kv = changeStore(createMemoryStore(clock));
    const createInstance = () => {
      const instance = { sendCount: 0, isFailing: false, send: (bytes: Uint8Array) => rpc.send(SERVICE_ITSELF, bytes) };
      const send = async () => {
        instance.sendCount++;
        if (instance.isFailing) throw new AppError("upstream_unavailable");
      };
      const [getNewestSlot, getSlotMs, estimateSendMs] = [() => 0, () => 200, () => 0];
      const nodes = { send, rpc: {} as never, getNewestSlot, getSlotMs, estimateSendMs, hasSendLimit: false };
      const rpc = createSolanaRpc({ nodes, clock, shared: { kv, random: systemRandom } });
      return instance;
    };
    return { clock, firstInstance: createInstance(), secondInstance: createInstance() };
  }

  test("is repeated by another instance 5 s after the last send of one that died", async () => {
    const { clock, firstInstance, secondInstance } = openInstances();
    await firstInstance.send(TRANSACTION);
    await clock.advance(4_999);
    await secondInstance.send(TRANSACTION);
    expect(secondInstance.sendCount).toBe(0);
    await clock.advance(1);
    await secondInstance.send(TRANSACTION);
    await firstInstance.send(TRANSACTION);
    expect([firstInstance.sendCount, secondInstance.sendCount]).toEqual([1, 1]);
  });

  test("is repeated by another instance after it has failed", async () => {
    const { firstInstance, secondInstance } = openInstances();
    firstInstance.isFailing = true;
    await expect(firstInstance.send(TRANSACTION)).rejects.toMatchObject({ code: "upstream_unavailable" });
    await secondInstance.send(TRANSACTION);
    expect(secondInstance.sendCount).toBe(1);
  });

  test("is made by every instance while the store fails", async () => {
    const failCall = () => Promise.reject(new AppError("upstream_timeout"));
    const failingCalls = { setIfAbsent: failCall, replace: failCall };
    const { firstInstance, secondInstance } = openInstances((kv) => ({ ...kv, ...failingCalls }));
    await firstInstance.send(TRANSACTION);
    await secondInstance.send(TRANSACTION);
    expect([firstInstance.sendCount, secondInstance.sendCount]).toEqual([1, 1]);
  });
});
