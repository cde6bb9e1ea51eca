import { describe, expect, test } from "vitest";
import {
  answerAccounts,
  answerInTurn,
  answerResults,
  answerRpcError,
  catchAppError,
  createAddress,
  createRpcClient,
  parseCall,
  SECRET,
  STAGED_CONTEXT,
} from "../../../support/fakes/staged-rpc";
import { answerText, cutConnection, type Stage, startStagedServerForFile } from "../../../support/fakes/staged-server";
import { createTimeoutStage } from "../../../support/fakes/timeout-stage";

const ADDRESS = createAddress();
const node = await startStagedServerForFile();

const listCalls = () => node.requests.map(parseCall);
const createClient = () => createRpcClient(node);

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
  const answerSimulation = (value: unknown) =>
    answerResults({ simulateTransaction: { context: STAGED_CONTEXT, value } });

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
