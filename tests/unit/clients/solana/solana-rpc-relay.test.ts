import { describe, expect, test } from "vitest";
import {
  accounts,
  catchAppError,
  context,
  inTurn,
  newAddress,
  parseCall,
  results,
  rpcClient,
  rpcError,
  SECRET,
} from "../../../support/fakes/staged-rpc";
import { cut, stagedServerOfFile, text } from "../../../support/fakes/staged-server";
import { outlastTimeouts } from "../../../support/fakes/staged-timeouts";

const A = newAddress();
const node = await stagedServerOfFile();

const calls = () => node.seen.map(parseCall);
const client = (timeoutMs?: number) => rpcClient(node, timeoutMs);

describe("retry", () => {
  test.each([
    ["a cut connection", cut],
    ["a 500", text(SECRET, 500)],
    ["a node that is behind", rpcError(-32005, SECRET)],
  ])("repeats a read once after %s", async (_what, stage) => {
    node.stage = inTurn(stage, accounts(5));
    expect((await client().rpc.readAccounts([A]))[0]?.lamports).toBe(5n);
    node.stage = inTurn(stage, results({ getBlockHeight: 9 }));
    expect(await client().rpc.readBlockHeight()).toBe(9);
  });

  test("refuses calls at once after one timeout of a node that hangs", async () => {
    node.stage = outlastTimeouts();
    const { rpc } = client();
    expect((await catchAppError(rpc.readAccounts([A]))).code).toBe("upstream_timeout");
    expect((await catchAppError(rpc.isBlockhashValid(A))).code).toBe("upstream_timeout");
    const rests = await catchAppError(rpc.readAccounts([A]));
    expect([rests.code, rests.details.retryAfterSeconds]).toEqual(["upstream_unavailable", 3]);
    expect(node.seen).toHaveLength(2);
  });

  test("keeps other methods working while many calls of one method hang", async () => {
    const height = results({ getBlockHeight: 9 });
    node.stage = (request, response) => {
      if (parseCall(request).method === "getBlockHeight") height(request, response);
    };
    const { rpc } = client(60_000);
    const hung = Array.from({ length: 70 }, () => rpc.readAccounts([newAddress()]).catch((error) => error.code));
    expect(await rpc.readBlockHeight()).toBe(9);
    node.stage = cut;
    node.dropConnections();
    expect(new Set(await Promise.all(hung))).toEqual(new Set(["upstream_unavailable"]));
  });

  test("keeps the node's text and URL, which may carry a key, out of the error", async () => {
    for (const stage of [rpcError(-32005, "boom"), text(SECRET, 500), cut]) {
      node.stage = stage;
      const error = await catchAppError(client().rpc.readBlockHeight());
      expect(JSON.stringify([error.message, String(error.details.cause)])).not.toContain(SECRET);
    }
  });
});

describe("simulate", () => {
  test("sends exactly these bytes and returns the runtime's error unchanged", async () => {
    const err = { InstructionError: [2, { Custom: 6001 }] };
    node.stage = results({ simulateTransaction: { context, value: { err, logs: ["log"], unitsConsumed: 42 } } });
    const result = await client().rpc.simulate(Uint8Array.of(1, 2, 3), { verifySignatures: true });
    expect(result).toEqual({ error: err, logs: ["log"], unitsConsumed: 42, slot: 7 });
    expect(calls()[0]!.params).toEqual(["AQID", { encoding: "base64", commitment: "confirmed", sigVerify: true }]);
  });

  test("returns a null error for success, also without logs and units", async () => {
    node.stage = results({ simulateTransaction: { context, value: { err: null, logs: null } } });
    expect(await client().rpc.simulate(Uint8Array.of(1), { verifySignatures: false })).toEqual({
      error: null,
      logs: [],
      unitsConsumed: null,
      slot: 7,
    });
  });

  test("simulates a draft with the newest blockhash and without signature checks", async () => {
    const data = [Buffer.from([1, 2]).toString("base64"), "base64"];
    const account = { lamports: 5, owner: "11111111111111111111111111111111", data, executable: false };
    const value = { err: null, logs: [], unitsConsumed: 1, accounts: [account, null] };
    node.stage = results({ simulateTransaction: { context, value } });
    const options = { verifySignatures: false, accounts: ["one", "other"] };
    const { accounts } = await client().rpc.simulate(Uint8Array.of(1), options);
    expect(accounts).toEqual([{ ...account, lamports: 5n, data: Buffer.from([1, 2]) }, null]);
    expect(calls()[0]!.params[1]).toEqual({
      encoding: "base64",
      commitment: "confirmed",
      sigVerify: false,
      replaceRecentBlockhash: true,
      accounts: { addresses: ["one", "other"], encoding: "base64" },
    });
    const shortAnswer = { ...value, accounts: [account] };
    node.stage = results({ simulateTransaction: { context, value: shortAnswer } });
    expect((await catchAppError(client().rpc.simulate(Uint8Array.of(1), options))).code).toBe("upstream_invalid");
    node.stage = results({ simulateTransaction: { context, value: { ...shortAnswer, err: "AccountNotFound" } } });
    expect(await client().rpc.simulate(Uint8Array.of(1), options)).toMatchObject({ error: "AccountNotFound" });
  });

  test("reads no more of an account's data than requested", async () => {
    node.stage = results({ getMultipleAccounts: { context, value: [null] } });
    expect(await client().rpc.readAccounts(["one"], { firstBytes: 165 })).toEqual([null]);
    const dataSlice = { offset: 0, length: 165 };
    expect(calls()[0]!.params).toEqual([["one"], { encoding: "base64", commitment: "confirmed", dataSlice }]);
  });

  test("refuses an answer that does not say whether it failed", async () => {
    node.stage = results({ simulateTransaction: { context, value: {} } });
    const simulation = client().rpc.simulate(Uint8Array.of(1), { verifySignatures: true });
    expect((await catchAppError(simulation)).code).toBe("upstream_invalid");
  });

  test("fails as simulation_failed when the node refuses the transaction", async () => {
    node.stage = rpcError(-32003, SECRET);
    const simulation = client().rpc.simulate(Uint8Array.of(1), { verifySignatures: true });
    expect((await catchAppError(simulation)).code).toBe("simulation_failed");
  });
});

describe("send", () => {
  const send = () => client().rpc.send(Uint8Array.of(1, 2, 3));

  test("sends base64, without preflight and without the node's retries", async () => {
    node.stage = results({ sendTransaction: "signature" });
    await send();
    expect(calls()).toMatchObject([
      { method: "sendTransaction", params: ["AQID", { encoding: "base64", skipPreflight: true, maxRetries: 0 }] },
    ]);
  });

  test.each([
    ["by its message", rpcError(-32002, "Transaction simulation failed: This transaction has already been processed")],
    ["by the runtime's error", rpcError(-32002, "failed", { err: "AlreadyProcessed" })],
  ])("accepts a transaction that the chain already has, recognized %s", async (_what, stage) => {
    node.stage = stage;
    await send();
  });

  test.each([-32002, -32003, -32602])("fails as simulation_failed when refused with %i", async (code) => {
    node.stage = rpcError(code, SECRET, { logs: [SECRET] });
    expect((await catchAppError(send())).code).toBe("simulation_failed");
  });

  test.each([
    ["upstream_unavailable", rpcError(-32005, SECRET)],
    ["upstream_invalid", rpcError(-32601, SECRET)],
    ["upstream_unavailable", text(SECRET, 500)],
    ["upstream_invalid", results({ sendTransaction: null })],
  ])("fails as %s without a repeated send", async (code, stage) => {
    node.stage = stage;
    expect((await catchAppError(send())).code).toBe(code);
    expect(node.seen).toHaveLength(1);
  });
});
