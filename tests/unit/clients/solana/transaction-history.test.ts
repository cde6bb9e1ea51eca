import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import type { TransactionFigures } from "../../../../lib/domain/activity";
import { SYSTEM_PROGRAM } from "../../../../lib/solana/programs";
import { createStagedNodes, refuseConnection, type StagedNode } from "../../../support/fakes/staged-nodes";
import {
  answerInTurn,
  answerResults,
  answerRpcError,
  catchAppError,
  createAddress,
  createRpcClient,
  parseCall,
  SECRET,
} from "../../../support/fakes/staged-rpc";
import { startStagedServerForFile } from "../../../support/fakes/staged-server";
import { NO_INSTRUCTIONS } from "../../../support/fixtures/no-instructions";

const OWNER = createAddress();
const SIGNATURE = "5".repeat(88);
const node = await startStagedServerForFile();

const createClient = () => createRpcClient(node);
const listCalls = () => node.requests.map(parseCall);

describe("readSignatures", () => {
  const entry = { signature: SIGNATURE, slot: 5, err: null, memo: null, blockTime: 1_790_000_000 };
  const answerPage = (...entries: unknown[]) => answerResults({ getSignaturesForAddress: entries });

  describe("with a minimum slot", () => {
    const OLDER_SIGNATURE = "4".repeat(88);
    const catchUpPage = { limit: 3, until: OLDER_SIGNATURE, minSlot: 9 };

    test("requires a node that has reached it and the newest slot of any earlier answer", async () => {
      node.stage = answerResults({
        getSignatureStatuses: { context: { slot: 77 }, value: [null] },
        getSignaturesForAddress: [],
      });
      const { rpc } = createClient();
      await rpc.readSignatures(OWNER, catchUpPage);
      await rpc.readSignatureStates([SIGNATURE], false);
      await rpc.readSignatures(OWNER, catchUpPage);
      const options = { limit: 3, until: OLDER_SIGNATURE, commitment: "confirmed" };
      const [firstCall, , lastCall] = listCalls();
      expect(firstCall!.params).toEqual([OWNER, { ...options, minContextSlot: 9 }]);
      expect(lastCall!.params).toEqual([OWNER, { ...options, minContextSlot: 77 }]);
    });

    test("repeats the call of a node that is one slot behind, without resting the node", async () => {
      const behind = { error: { code: -32016, message: "" } };
      const answers = [behind, behind, behind, { result: [entry] }];
      const { rpc, clock } = createStagedNodes({ a: () => answers.shift() ?? behind });
      const firstRead = rpc.readSignatures(OWNER, catchUpPage);
      await clock.advance(400);
      expect(await firstRead).toHaveLength(1);
      const secondRead = catchAppError(rpc.readSignatures(OWNER, catchUpPage));
      await clock.advance(800);
      expect((await secondRead).code).toBe("upstream_unavailable");
    });
  });

  test.each([
    ["no list", answerResults({ getSignaturesForAddress: null })],
    ["more than requested", answerPage(entry, entry, entry)],
    ["no signature", answerPage({ ...entry, signature: undefined })],
    ["no statement of success", answerPage({ ...entry, err: undefined })],
    ["a time beyond all dates", answerPage({ ...entry, blockTime: 9e15 })],
  ])("fails as upstream_invalid on %s", async (_, stage) => {
    node.stage = stage;
    expect((await catchAppError(createClient().rpc.readSignatures(OWNER, { limit: 2 }))).code).toBe("upstream_invalid");
  });
});

describe("readTransaction", () => {
  const createTokenBalance = (amount: string) => {
    return { accountIndex: 1, mint: "m", owner: OWNER, programId: "p", uiTokenAmount: { amount, decimals: 6 } };
  };
  const meta = {
    err: null,
    fee: 5000,
    preBalances: [10_000, 0, 1, 1],
    postBalances: [3_000, 2_000, 1, 1],
    preTokenBalances: [],
    postTokenBalances: [createTokenBalance("18446744073709551615")],
    loadedAddresses: { writable: ["loaded writable"], readonly: ["loaded readonly"] },
    logMessages: null,
  };
  const createAnswer = (metaChanges: Record<string, unknown> = {}) => {
    const message = { accountKeys: [OWNER, "other"], instructions: [] as unknown[] };
    const transaction = { signatures: [SIGNATURE], message };
    return { slot: 5, blockTime: 1, version: 0, transaction, meta: { ...meta, ...metaChanges } };
  };
  const readFigures = (client = createClient()) =>
    client.rpc.readTransaction(SIGNATURE) as Promise<TransactionFigures | null>;
  const answerTransaction = (metaChanges?: Record<string, unknown>) =>
    answerResults({ getTransaction: createAnswer(metaChanges) });

  test("returns exact figures in the order of all account keys", async () => {
    node.stage = answerTransaction();
    expect(await createClient().rpc.readTransaction(SIGNATURE)).toEqual({
      slot: 5,
      accountKeys: [OWNER, "other", "loaded writable", "loaded readonly"],
      feeLamports: 5_000n,
      preBalances: [10_000n, 0n, 1n, 1n],
      postBalances: [3_000n, 2_000n, 1n, 1n],
      preTokenBalances: [],
      postTokenBalances: [{ accountIndex: 1, mint: "m", owner: OWNER, amount: 18446744073709551615n, decimals: 6 }],
      ...NO_INSTRUCTIONS,
      signers: [OWNER],
    });
    const options = { encoding: "json", commitment: "confirmed", maxSupportedTransactionVersion: 1 };
    expect(listCalls()[0]!.params).toEqual([SIGNATURE, options]);
  });

  test("returns the movements of System instructions in order, with lookup tables resolved", async () => {
    const encodeInstruction = (kind: number, lamports: number) => {
      const data = Buffer.alloc(12);
      data.writeUInt32LE(kind);
      data.writeBigUInt64LE(BigInt(lamports), 4);
      return bs58.encode(data);
    };
    const answer = createAnswer();
    const { message } = answer.transaction;
    message.accountKeys = [OWNER, SYSTEM_PROGRAM];
    message.instructions = [
      { programIdIndex: 1, accounts: [0, 2], data: encodeInstruction(2, 7) },
      { programIdIndex: 3, accounts: [0, 2], data: encodeInstruction(2, 8) },
      { programIdIndex: 1, accounts: [2, 0], data: encodeInstruction(8, 9) },
      { programIdIndex: 1, accounts: [0, 3], data: encodeInstruction(2, 10) },
    ];
    node.stage = answerResults({ getTransaction: answer });
    expect((await readFigures())?.movements).toEqual([
      { from: OWNER, to: "loaded writable", lamports: 7n },
      { from: OWNER, to: "loaded readonly", lamports: 10n },
    ]);
    message.instructions = [{ programIdIndex: 1, accounts: [0, 2], data: "0OIl" }];
    node.stage = answerResults({ getTransaction: answer });
    await expect(createClient().rpc.readTransaction(SIGNATURE)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test.each([-32009, -32011])("counts error %i as one missing transaction, and keeps the node in use", async (code) => {
    node.stage = answerInTurn(...Array(20).fill(answerRpcError(code, SECRET)), answerTransaction());
    const { rpc } = createClient();
    for (let i = 0; i < 20; i++) expect(await rpc.readTransaction(SIGNATURE)).toBeNull();
    expect(await rpc.readTransaction(SIGNATURE)).toMatchObject({ feeLamports: 5_000n });
  });

  test("names a format that is newer than this service", async () => {
    node.stage = answerRpcError(-32015, SECRET);
    expect(await createClient().rpc.readTransaction(SIGNATURE)).toBe("unsupported");
  });

  const missingAnswer = { result: null };
  const skippedAnswer = { error: { code: -32009, message: "skipped" } };
  const transactionAnswer = { result: createAnswer() };
  test.each<[string, StagedNode, StagedNode, object | null]>([
    ["null from the first", () => missingAnswer, () => transactionAnswer, { feeLamports: 5_000n }],
    ["a skipped slot from the first", () => skippedAnswer, () => transactionAnswer, { feeLamports: 5_000n }],
    ["null from both", () => missingAnswer, () => missingAnswer, null],
    ["null from one while the other is down", () => missingAnswer, refuseConnection, null],
  ])("asks another node for a transaction that one lacks: %s", async (_caseName, a, b, expectedFigures) => {
    const figures = await createStagedNodes({ a, b }).rpc.readTransaction(SIGNATURE);
    if (expectedFigures === null) expect(figures).toBeNull();
    else expect(figures).toMatchObject(expectedFigures);
  });

  const numericBalance = { ...createTokenBalance("1"), uiTokenAmount: { amount: 1, decimals: 6 } };
  test.each([
    ["no result", answerResults({})],
    ["the wrong number of balances", answerTransaction({ preBalances: [1] })],
    ["a negative balance", answerTransaction({ postBalances: [-1, 0, 1, 1] })],
    ["a fee in text", answerTransaction({ fee: "5000" })],
    ["a token amount as a number", answerTransaction({ postTokenBalances: [numericBalance] })],
    ["no keys", answerResults({ getTransaction: { ...createAnswer(), transaction: { message: {} } } })],
  ])("fails as upstream_invalid on %s", async (_, stage) => {
    node.stage = stage;
    expect((await catchAppError(createClient().rpc.readTransaction(SIGNATURE))).code).toBe("upstream_invalid");
  });
});
